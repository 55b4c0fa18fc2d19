/* Rays, one by one and in batches. */
#include <math.h>
#include <string.h>

#include "kernel.h"

/* Not fmin and fmax, which are calls because of NaN; there is none here. */
static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

static inline bool passes_box(const ray *r, const double *bounds, double range)
{
    double enter = 0, leave = range;
    for (int i = 0; i < 3; i++) {
        const double one = (bounds[2 * i] - r->origin[i]) * r->inverse[i], other = (bounds[2 * i + 1] - r->origin[i]) * r->inverse[i];
        enter = greater(enter, lesser(one, other));
        leave = lesser(leave, greater(one, other));
    }
    return enter <= leave * (1 + 1e-12) + 1e-12;
}

void aim_ray(kernel *k, ray *r, const double *origin, const double *direction, double range)
{
    const double length = sqrt(dCalcVectorDot3(direction, direction));
    for (int i = 0; i < 3; i++) {
        r->origin[i] = origin[i];
        r->unit[i] = direction[i] / length;
        r->inverse[i] = fabs(r->unit[i]) > 1e-290 ? 1 / r->unit[i] : 1e290; /* huge but finite: 0 times it is 0 */
    }
    r->range = range;
    dGeomRaySet(k->ray, origin[0], origin[1], origin[2], r->unit[0], r->unit[1], r->unit[2]);
    dGeomRaySetLength(k->ray, range);
}

bool ray_hits(kernel *k, const geom *g, dContactGeom *hit) { return dCollide(k->ray, g->ode, 1, hit, sizeof *hit); }

/* The nearer one of what was found before, and what the ray hits of a part. Of two that are equally near, the first stays. */
static const geom *nearest_of_part(kernel *k, const ray *r, const ray_part *part, const geom *found, dContactGeom *hit)
{
    for (int i = part->first; i < part->first + part->count; i++) {
        const geom *const g = k->geoms.items[i];
        dContactGeom candidate;
        double bounds[6];
        if (part->body) {
            dGeomGetAABB(g->ode, bounds);
            if (!passes_box(r, bounds, hit->depth)) continue;
        }
        if (!ray_hits(k, g, &candidate)) continue;
        if (candidate.depth > hit->depth || (found && candidate.depth == hit->depth)) continue;
        *hit = candidate;
        found = g;
    }
    return found;
}

const geom *nearest_geom(kernel *k, const ray *r, const body *ignored, int32_t ignored_owner, dContactGeom *hit)
{
    const ray_targets *const t = &k->targets;
    const geom *found = NULL;
    hit->depth = r->range;
    for (const ray_group *group = t->groups; group < t->groups + t->group_count; group++) {
        if ((ignored_owner >= 0 && group->owner == ignored_owner) || !passes_box(r, group->bounds, hit->depth)) continue;
        for (const ray_part *part = t->parts + group->first; part < t->parts + group->first + group->count; part++)
            if (!(ignored && part->body == ignored) && passes_box(r, part->bounds, hit->depth))
                found = nearest_of_part(k, r, part, found, hit);
    }
    return found;
}

static void cast(kernel *k, const double *origin, const double *direction, double range, const body *ignored, int32_t ignored_owner,
                 double *distance, int64_t *id, double *normal)
{
    ray r;
    dContactGeom hit;
    aim_ray(k, &r, origin, direction, range);
    const geom *const found = nearest_geom(k, &r, ignored, ignored_owner, &hit);
    *distance = found ? hit.depth : INFINITY;
    *id = found ? (int64_t)found->id : -1;
    for (int i = 0; i < 3; i++) normal[i] = found ? hit.normal[i] : 0;
}

static int cast_all(kernel *k, int count, const double *origins, const double *directions, const double *ranges, body *ignored,
                     int32_t ignored_owner, double *distances, int64_t *ids, double *normals)
{
    if (k->broken) return KERNEL_BROKEN;
    if (k->mesh_count) lock_globals();
    int outcome = KERNEL_FINE;
    if (ODE_FAILED()) {
        guard_report(k);
        outcome = KERNEL_REFUSED;
    } else {
        fit_targets(k);
        for (int i = 0; i < count; i++)
            cast(k, origins + 3 * i, directions + 3 * i, ranges[i], ignored, ignored_owner, distances + i, ids + i, normals + 3 * i);
    }
    guard_clear();
    unlock_globals();
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
