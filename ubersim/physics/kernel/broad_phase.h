/* Boxes in boxes, by which those geoms are found that are near each other. */
#ifndef UBERSIM_BROAD_H
#define UBERSIM_BROAD_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* Geoms of one body that follow each other: a box until something comes near. Small parts take the box of a ball about the body's centre, however they are turned:
   ODE is not asked for the boxes of their geoms before these are wanted. */
typedef struct {
    double bounds[6];
    const double *center; /* of the ball; NULL: it has none */
    double reach;
    int first, count; /* of the world's geoms */
    bool self_collides;
    int64_t look; /* in which its geoms' boxes were found */
} near_part;

/* Parts that are one box until something comes near: what one owner brought along, or a body of the world, or one static geom. */
typedef struct {
    double bounds[6];
    double reach;     /* of what does not move: how far along x it and all before it get */
    int first, count; /* of the parts */
} near_group;

/* First what does not move, and of that first what has no end; each part in order along x. */
typedef struct {
    near_group *groups;
    near_part *parts;
    double *boxes; /* of all geoms, as of the looks of their parts */
    int64_t look;   /* the one at hand */
    int count, stills, endless, part_count, capacity, part_capacity, box_capacity;
    bool fresh; /* false once geoms have come or gone, or collide with others than before */
} near_groups;

void find_pairs(kernel *k);

#endif
