/* Meshes that are closed and convex, as the solids that they are: their corners, faces and directions of edges. ODE knows triangles only, and where two such
   surfaces lie flush on each other it tells depths as large as the whole solid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

enum { MOST_CORNERS = 256, MOST_TRIANGLES = 512 };
static const double ROUGHNESS = 1e-6; /* of its size: less is the same place */

static int corner_of(hull *h, const double *vertex, double same)
{
    for (int i = 0; i < h->corner_count; i++) {
        const double *corner = h->corners + 3 * i;
        const double apart[3] = {corner[0] - vertex[0], corner[1] - vertex[1], corner[2] - vertex[2]};
        if (dot3(apart, apart) <= same * same) return i;
    }
    if (h->corner_count == MOST_CORNERS) return -1;
    memcpy(h->corners + 3 * h->corner_count, vertex, 3 * sizeof(double));
    return h->corner_count++;
}

/* The outer plane of a triangle: normal and distance; false if it has no area. */
static bool plane_of(const hull *h, const int *triangle, const double *middle, double *plane)
{
    const double *a = h->corners + 3 * triangle[0], *b = h->corners + 3 * triangle[1], *c = h->corners + 3 * triangle[2];
    const double one[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, other[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    cross3(plane, one, other);
    const double length = sqrt(dot3(plane, plane));
    if (!(length > 0)) return false;
    const double sign = dot3(plane, a) < dot3(plane, middle) ? -1 : 1;
    for (int i = 0; i < 3; i++) plane[i] *= sign / length;
    plane[3] = dot3(plane, a);
    return true;
}

static void add_plane(hull *h, const double *plane, double same)
{
    for (int i = 0; i < h->plane_count; i++)
        if (dot3(h->planes + 4 * i, plane) > 1 - ROUGHNESS && fabs(h->planes[4 * i + 3] - plane[3]) <= same) return;
    memcpy(h->planes + 4 * h->plane_count++, plane, 4 * sizeof(double));
}

static void add_direction(hull *h, int from, int to)
{
    double way[3];
    for (int i = 0; i < 3; i++) way[i] = h->corners[3 * to + i] - h->corners[3 * from + i];
    const double length = sqrt(dot3(way, way));
    for (int i = 0; i < 3; i++) way[i] /= length;
    for (int i = 0; i < h->direction_count; i++)
        if (fabs(dot3(h->directions + 3 * i, way)) > 1 - ROUGHNESS) return;
    memcpy(h->directions + 3 * h->direction_count++, way, sizeof way);
}

/* Whether each edge belongs to two triangles; those between faces give directions. */
static bool find_edges(hull *h, const int *triangles, const double *planes, int count)
{
    for (int edge = 0; edge < 3 * count; edge++) {
        const int from = triangles[edge], to = triangles[edge - edge % 3 + (edge + 1) % 3];
        int shared = 0;
        for (int other = 0; other < 3 * count; other++) {
            const int start = triangles[other], end = triangles[other - other % 3 + (other + 1) % 3];
            if (!((start == from && end == to) || (start == to && end == from))) continue;
            shared++;
            if (other > edge && dot3(planes + 4 * (edge / 3), planes + 4 * (other / 3)) < 1 - ROUGHNESS) add_direction(h, from, to);
        }
        if (shared != 2) return false;
    }
    return true;
}

/* Whether all corners lie behind all faces, and not all in one plane. */
static bool is_convex(const hull *h, const double *middle, double same)
{
    for (int i = 0; i < h->plane_count; i++) {
        const double *plane = h->planes + 4 * i;
        if (dot3(plane, middle) > plane[3] - 10 * same) return false;
        for (int n = 0; n < h->corner_count; n++)
            if (dot3(plane, h->corners + 3 * n) > plane[3] + same) return false;
    }
    return true;
}

static bool fill(hull *h, int vertex_count, const double *vertices, int count, const dTriIndex *triangles, int *corners, int *kept)
{
    double size = 0, middle[3] = {0}, *planes = h->planes + 4 * MOST_TRIANGLES;
    for (int i = 0; i < vertex_count; i++) size = fmax(size, sqrt(dot3(vertices + 3 * i, vertices + 3 * i)));
    const double same = ROUGHNESS * size;
    for (int i = 0; i < vertex_count; i++)
        if ((corners[i] = corner_of(h, vertices + 3 * i, same)) < 0) return false;
    for (int i = 0; i < 3 * h->corner_count; i++) middle[i % 3] += h->corners[i] / h->corner_count;
    int faces = 0;
    for (int i = 0; i < count; i++) {
        int *triangle = kept + 3 * faces;
        for (int n = 0; n < 3; n++) triangle[n] = corners[triangles[3 * i + n]];
        if (!plane_of(h, triangle, middle, planes + 4 * faces)) return false;
        add_plane(h, planes + 4 * faces++, same);
    }
    return faces >= 4 && is_convex(h, middle, same) && find_edges(h, kept, planes, faces);
}

/* NULL if the mesh is no such solid, or has too many corners to be treated as one. */
hull *find_hull(int vertex_count, const double *vertices, int count, const dTriIndex *triangles)
{
    if (vertex_count > 3 * MOST_TRIANGLES || count > MOST_TRIANGLES) return NULL;
    hull *h = calloc(1, sizeof *h);
    int *corners = malloc((size_t)vertex_count * sizeof *corners), *kept = malloc((size_t)(3 * count) * sizeof *kept);
    if (h) {
        h->corners = malloc(3 * MOST_CORNERS * sizeof(double));
        h->planes = malloc(2 * 4 * MOST_TRIANGLES * sizeof(double));
        h->directions = malloc(3 * 3 * MOST_TRIANGLES * sizeof(double));
    }
    const bool found = h && corners && kept && h->corners && h->planes && h->directions &&
                       fill(h, vertex_count, vertices, count, triangles, corners, kept);
    free(corners), free(kept);
    if (found) return h;
    free_hull(h);
    return NULL;
}

void free_hull(hull *h)
{
    if (!h) return;
    free(h->corners), free(h->planes), free(h->directions), free(h);
}
