/* Rays, and what they may hit, as boxes in boxes. */
#ifndef UBERSIM_RAYS_H
#define UBERSIM_RAYS_H

#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* What rays may hit, as boxes in boxes, each in ODE's order: min x, max x, min y, ... The boxes of a group hold those of its parts,
   and these hold geoms. */
typedef struct {
    double bounds[6];
    const body *body; /* NULL: one geom, which does not move */
    int first, count; /* of the world's geoms */
} ray_part;

typedef struct {
    double bounds[6];
    int32_t owner;
    int first, count; /* of the parts */
} ray_group;

typedef struct {
    ray_part *parts;
    ray_group *groups;
    int part_count, part_capacity, group_count, group_capacity;
    bool fresh; /* false once geoms have come or gone */
} ray_targets;

/* A ray that is about to be cast, of unit length per metre. */
typedef struct {
    double origin[3], unit[3], inverse[3], range;
} ray;

void fit_targets(kernel *k);
void aim_ray(kernel *k, ray *r, const double *origin, const double *direction, double range);
bool ray_hits(kernel *k, const geom *g, dContactGeom *hit);
const geom *nearest_geom(kernel *k, const ray *r, const body *ignored, int32_t ignored_owner, dContactGeom *hit);

#endif
