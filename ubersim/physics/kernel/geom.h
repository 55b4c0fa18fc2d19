/* Geoms, the shapes that collide, their meshes, and those of them that are convex solids. */
#ifndef UBERSIM_GEOM_H
#define UBERSIM_GEOM_H

#include <ode/ode.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* A convex solid, in its own frame. */
typedef struct {
    int corner_count, plane_count, direction_count;
    double *corners, *planes, *directions; /* planes: normal and distance; directions: of edges */
} hull;

struct mesh {
    dTriMeshDataID data;
    double *vertices;
    dTriIndex *triangles;
    hull *hull; /* if it is a convex solid; else NULL */
    double radius; /* of a sphere about its own origin that holds it */
    atomic_int users; /* geoms, and what made it */
};

struct geom {
    dGeomID ode;
    uint32_t id;
    int32_t owner;
    int material;
    body *body; /* NULL: static */
    bool self_collides;
    double roller_radius; /* of the rollers around its z axis, on which it gives way along that axis; 0: it has none */
    int tally; /* scratch of those who look for the greediest */
    double reach; /* from the body's centre: no corner of the box that ODE puts around it is farther away */
    mesh *mesh; /* NULL: it is another shape */
    const hull *hull; /* the mesh's, if it is a convex solid; else NULL */
};

void destroy_geom(kernel *k, geom *g);
hull *find_hull(int vertex_count, const double *vertices, int count, const dTriIndex *triangles);
void free_hull(hull *h);
void hold_mesh(mesh *m);

#endif
