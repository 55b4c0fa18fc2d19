/* Batches of rays. The geoms' boxes are gathered once per batch, and a slab test decides which geoms ODE has to look at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

typedef struct {
    double bounds[6]; /* ODE's order: min x, max x, min y, ... */
    const geom *geom;
} target;

static int gather_targets(kernel *k, const body *ignored, int32_t ignored_owner, target *targets)
{
    int count = 0;
    for (int i = 0; i < k->geoms.count; i++) {
        const geom *g = k->geoms.items[i];
        if ((ignored && g->body == ignored) || (ignored_owner >= 0 && g->owner == ignored_owner)) continue;
        dGeomGetAABB(g->ode, targets[count].bounds);
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

static void cast(kernel *k, const target *targets, int count, const double *origin, const double *direction, double range,
                 double *distance, int64_t *id, double *normal)
{
    const double length = sqrt(dCalcVectorDot3(direction, direction));
    double unit[3], inverse[3];
    for (int i = 0; i < 3; i++) {
        unit[i] = direction[i] / length;
        inverse[i] = fabs(unit[i]) > 1e-290 ? 1 / unit[i] : 1e290; /* huge but finite: 0 times it is 0 */
    }
    *distance = INFINITY, *id = -1;
    memset(normal, 0, 3 * sizeof(double));
    dGeomRaySet(k->ray, origin[0], origin[1], origin[2], unit[0], unit[1], unit[2]);
    dGeomRaySetLength(k->ray, range);
    double nearest = range;
    for (int i = 0; i < count; i++) {
        if (!passes_box(targets[i].bounds, origin, inverse, nearest)) continue;
        dContactGeom hit;
        if (!dCollide(k->ray, targets[i].geom->ode, 1, &hit, sizeof hit)) continue;
        if (hit.depth > nearest || (*id >= 0 && hit.depth == nearest)) continue;
        *distance = nearest = hit.depth;
        *id = targets[i].geom->id;
        memcpy(normal, hit.normal, 3 * sizeof(double));
    }
}

int kernel_cast_rays(kernel *k, int count, const double *origins, const double *directions, const double *ranges, body *ignored,
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
    return kernel_cast_rays(k, count, origins, directions, ranges, ignored, ignored_owner, distances, ids, normals);
}
