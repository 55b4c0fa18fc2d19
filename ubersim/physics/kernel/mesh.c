/* A mesh's triangles in the form in which shapes are tested against them. It depends on no world: it is built where nothing waits for it, which takes
   microseconds per triangle, and then used by any number of geoms, of any worlds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static double farthest_of(int count, const double *vertices)
{
    double farthest = 0;
    for (int i = 0; i < count; i++) farthest = fmax(farthest, dCalcVectorDot3(vertices + 3 * i, vertices + 3 * i));
    return sqrt(farthest);
}

static void free_mesh(mesh *m)
{
    if (m->data) dGeomTriMeshDataDestroy(m->data);
    free_hull(m->hull);
    free(m->vertices), free(m->triangles), free(m);
}

/* What ODE makes of the triangles; it keeps pointing at ours. */
static void build(mesh *m, int vertex_count, int triangle_count)
{
    m->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(m->data, m->vertices, 3 * sizeof(double), vertex_count, m->triangles, 3 * triangle_count,
                                3 * sizeof(dTriIndex));
    /* Without face angles ODE ends the process as soon as a convex shape meets the mesh. */
    dGeomTriMeshDataPreprocess2(m->data,
                                1U << dTRIDATAPREPROCESS_BUILD_CONCAVE_EDGES | 1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
}

mesh *mesh_create(int vertex_count, const double *vertices, int triangle_count, const uint32_t *triangles, char *message)
{
    guard_install();
    const size_t vertex_bytes = (size_t)vertex_count * 3 * sizeof(double);
    const size_t triangle_bytes = (size_t)triangle_count * 3 * sizeof(dTriIndex);
    mesh *volatile made = NULL;
    if (ODE_FAILED()) {
        memcpy(message, guard_message, sizeof guard_message);
        if (made) free_mesh(made);
        return NULL;
    }
    mesh *m = made = cleared(sizeof *m);
    m->vertices = cleared(vertex_bytes);
    m->triangles = cleared(triangle_bytes);
    memcpy(m->vertices, vertices, vertex_bytes);
    memcpy(m->triangles, triangles, triangle_bytes);
    build(m, vertex_count, triangle_count);
    guard_clear();
    m->hull = find_hull(vertex_count, m->vertices, triangle_count, m->triangles);
    m->radius = farthest_of(vertex_count, m->vertices);
    m->users = 1;
    return m;
}

void hold_mesh(mesh *m) { atomic_fetch_add(&m->users, 1); }

void mesh_release(mesh *m)
{
    if (atomic_fetch_sub(&m->users, 1) == 1) free_mesh(m);
}
