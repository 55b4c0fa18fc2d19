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

static bool passes_box(const double *bounds, const double *origin, const double *inverse, double range)
{
    double enter = 0, leave = range;
    for (int i = 0; i < 3; i++) {
        const double low = bounds[2 * i], high = bounds[2 * i + 1];
        if (isinf(inverse[i])) { /* parallel to this pair of planes */
            if (origin[i] < low || origin[i] > high) return false;
            continue;
        }
        const double one = (low - origin[i]) * inverse[i], other = (high - origin[i]) * inverse[i];
        enter = fmax(enter, fmin(one, other));
        leave = fmin(leave, fmax(one, other));
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
        inverse[i] = 1 / unit[i];
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
