/* Batches of rays. The geoms' boxes are gathered once per batch, and a slab test decides which geoms ODE has to look at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

int gather_targets(kernel *k, const body *ignored, int32_t ignored_owner, target *targets)
{
    int count = 0;
    for (int i = 0; i < k->geoms.count; i++) {
        const geom *g = k->geoms.items[i];
        if ((ignored && g->body == ignored) || (ignored_owner >= 0 && g->owner == ignored_owner)) continue;
        dGeomGetAABB(g->ode, targets[count].bounds);
        targets[count].place = i;
        targets[count++].geom = g;
    }
    return count;
}

/* Not fmin and fmax, which are calls because of NaN; there is none here. */
static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

static inline bool passes_box(const double *bounds, const double *origin, const double *inverse, double range)
{
    double enter = 0, leave = range;
    for (int i = 0; i < 3; i++) {
        const double one = (bounds[2 * i] - origin[i]) * inverse[i], other = (bounds[2 * i + 1] - origin[i]) * inverse[i];
        enter = greater(enter, lesser(one, other));
        leave = lesser(leave, greater(one, other));
    }
    return enter <= leave * (1 + 1e-12) + 1e-12;
}

static void unit_and_inverse(const double *direction, double *unit, double *inverse)
{
    const double length = sqrt(dCalcVectorDot3(direction, direction));
    for (int i = 0; i < 3; i++) {
        unit[i] = direction[i] / length;
        inverse[i] = fabs(unit[i]) > 1e-290 ? 1 / unit[i] : 1e290; /* huge but finite: 0 times it is 0 */
    }
}

bool may_hit(const target *t, const double *origin, const double *direction, double range)
{
    double unit[3], inverse[3];
    unit_and_inverse(direction, unit, inverse);
    return passes_box(t->bounds, origin, inverse, range);
}

const target *nearest_target(kernel *k, const target *targets, int count, const double *origin, const double *direction,
                             double range, dContactGeom *hit)
{
    double unit[3], inverse[3];
    unit_and_inverse(direction, unit, inverse);
    dGeomRaySet(k->ray, origin[0], origin[1], origin[2], unit[0], unit[1], unit[2]);
    dGeomRaySetLength(k->ray, range);
    const target *found = NULL;
    hit->depth = range;
    for (int i = 0; i < count; i++) {
        dContactGeom candidate;
        if (!passes_box(targets[i].bounds, origin, inverse, hit->depth)) continue;
        if (!dCollide(k->ray, targets[i].geom->ode, 1, &candidate, sizeof candidate)) continue;
        if (candidate.depth > hit->depth || (found && candidate.depth == hit->depth)) continue;
        *hit = candidate;
        found = targets + i;
    }
    return found;
}

static void cast(kernel *k, const target *targets, int count, const double *origin, const double *direction, double range,
                 double *distance, int64_t *id, double *normal)
{
    dContactGeom hit;
    const target *const found = nearest_target(k, targets, count, origin, direction, range, &hit);
    *distance = found ? hit.depth : INFINITY;
    *id = found ? (int64_t)found->geom->id : -1;
    for (int i = 0; i < 3; i++) normal[i] = found ? hit.normal[i] : 0;
}

static int cast_all(kernel *k, int count, const double *origins, const double *directions, const double *ranges, body *ignored,
                     int32_t ignored_owner, double *distances, int64_t *ids, double *normals)
{
    if (k->broken) return KERNEL_BROKEN;
    target *const targets = malloc(((size_t)k->geoms.count + 1) * sizeof *targets);
    if (k->mesh_count) lock_globals();
    int outcome = KERNEL_FINE;
    if (ODE_FAILED()) {
        guard_report(k);
        outcome = KERNEL_REFUSED;
    } else {
        const int target_count = gather_targets(k, ignored, ignored_owner, targets);
        for (int i = 0; i < count; i++)
            cast(k, targets, target_count, origins + 3 * i, directions + 3 * i, ranges[i], distances + i, ids + i, normals + 3 * i);
    }
    guard_clear();
    unlock_globals();
    free(targets);
    return outcome;
}

int kernel_cast_bundle(kernel *k, body *b, int count, const double *place, const double *fixed, const double *ranges, body *ignored,
                       int32_t ignored_owner, double *origins, double *directions, double *distances, int64_t *ids,
                       double *normals)
{
    dVector3 origin;
    dMultiply0_331(origin, b->rotation, place);
    for (int i = 0; i < 3; i++) origin[i] += b->position[i];
    for (int i = 0; i < count; i++) {
        memcpy(origins + 3 * i, origin, 3 * sizeof(double));
        dVector3 direction;
        dMultiply0_331(direction, b->rotation, fixed + 3 * i);
        memcpy(directions + 3 * i, direction, 3 * sizeof(double));
    }
    return cast_all(k, count, origins, directions, ranges, ignored, ignored_owner, distances, ids, normals);
}
