/* Contacts of two convex solids: the axis along which they are least deep in each other, and the patch in which their faces meet there. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

enum { MOST_AXES = 1024, MOST_POINTS = 64 };
static const double PREFERENCE = 1e-7; /* [m]: by so much must another axis be better than one before it: faces before edges */

/* A hull where it is in the world. */
typedef struct {
    const hull *hull;
    const double *place, *turn;
} solid;

/* Where the axis meets the least and the most of it. */
static void extent(const solid *s, const double *axis, double *least, double *most)
{
    double own[3];
    turn_back3(own, s->turn, axis);
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0; i < s->hull->corner_count; i++) {
        const double at = dot3(own, s->hull->corners + 3 * i);
        if (at < *least) *least = at;
        if (at > *most) *most = at;
    }
    const double shift = dot3(axis, s->place);
    *least += shift, *most += shift;
}

/* The axis of least overlap so far; it points from the second to the first. */
typedef struct {
    double axis[3], depth;
    int face;           /* whose face it belongs to: 0 or 1; -1: two edges cross, */
    double edges[2][3]; /* which run like this */
} overlap;

static bool try_axis(const solid *s, const double *axis, int face, overlap *best)
{
    double least[2], most[2];
    extent(&s[0], axis, &least[0], &most[0]);
    extent(&s[1], axis, &least[1], &most[1]);
    const double ahead = most[1] - least[0], behind = most[0] - least[1], depth = fmin(ahead, behind);
    if (depth < 0) return false;
    if (depth < best->depth - PREFERENCE) {
        best->depth = depth, best->face = face;
        for (int i = 0; i < 3; i++) best->axis[i] = ahead <= behind ? axis[i] : -axis[i];
    }
    return true;
}

/* Whether they overlap along every axis that matters. */
static bool find_overlap(const solid *s, overlap *best)
{
    double axis[3], one[3], other[3];
    best->depth = INFINITY;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < s[side].hull->plane_count; i++) {
            turn3(axis, s[side].turn, s[side].hull->planes + 4 * i);
            if (!try_axis(s, axis, side, best)) return false;
        }
    if (s[0].hull->direction_count * s[1].hull->direction_count > MOST_AXES) return true;
    for (int i = 0; i < s[0].hull->direction_count; i++) {
        turn3(one, s[0].turn, s[0].hull->directions + 3 * i);
        for (int j = 0; j < s[1].hull->direction_count; j++) {
            turn3(other, s[1].turn, s[1].hull->directions + 3 * j);
            cross3(axis, one, other);
            const double length = sqrt(dot3(axis, axis));
            if (length < 1e-3) continue;
            for (int n = 0; n < 3; n++) axis[n] /= length;
            const double before = best->depth;
            if (!try_axis(s, axis, -1, best)) return false;
            if (best->depth < before) memcpy(best->edges[0], one, sizeof one), memcpy(best->edges[1], other, sizeof other);
        }
    }
    return true;
}

/* The face that looks most along a direction: its corners in the world, in order around it; returns how many. */
static int find_face(const solid *s, const double *direction, double points[][3], double *normal)
{
    double own[3], middle[3] = {0}, angles[MOST_POINTS], one[4], other[4];
    turn_back3(own, s->turn, direction);
    const double *face = s->hull->planes;
    for (int i = 1; i < s->hull->plane_count; i++)
        if (dot3(s->hull->planes + 4 * i, own) > dot3(face, own)) face = s->hull->planes + 4 * i;
    int count = 0;
    for (int i = 0; i < s->hull->corner_count && count < MOST_POINTS; i++) {
        const double *corner = s->hull->corners + 3 * i;
        if (fabs(dot3(face, corner) - face[3]) > 1e-5 * (fabs(face[3]) + sqrt(dot3(corner, corner)))) continue;
        memcpy(points[count++], corner, 3 * sizeof(double));
    }
    for (int i = 0; i < count; i++)
        for (int n = 0; n < 3; n++) middle[n] += points[i][n] / count;
    const dVector3 up = {face[0], face[1], face[2]};
    dPlaneSpace(up, one, other);
    for (int i = 0; i < count; i++) { /* sorted in as they come */
        const double apart[3] = {points[i][0] - middle[0], points[i][1] - middle[1], points[i][2] - middle[2]};
        const double angle = atan2(dot3(apart, other), dot3(apart, one)), point[3] = {points[i][0], points[i][1], points[i][2]};
        int at = i;
        for (; at > 0 && angles[at - 1] > angle; at--) {
            angles[at] = angles[at - 1];
            memcpy(points[at], points[at - 1], sizeof point);
        }
        angles[at] = angle;
        memcpy(points[at], point, sizeof point);
    }
    turn3(normal, s->turn, face);
    for (int i = 0; i < count; i++) {
        double turned[3];
        turn3(turned, s->turn, points[i]);
        for (int n = 0; n < 3; n++) points[i][n] = turned[n] + s->place[n];
    }
    return count;
}

/* What is left of a polygon in front of a plane through a point. */
static int cut(double points[][3], int count, const double *at, const double *inwards)
{
    double kept[MOST_POINTS][3];
    int left = 0;
    for (int i = 0; i < count && left < MOST_POINTS - 1; i++) {
        const double *here = points[i], *next = points[(i + 1) % count];
        double one = 0, other = 0;
        for (int n = 0; n < 3; n++) one += (here[n] - at[n]) * inwards[n], other += (next[n] - at[n]) * inwards[n];
        if (one >= 0) memcpy(kept[left++], here, 3 * sizeof(double));
        if ((one < 0) == (other < 0)) continue;
        for (int n = 0; n < 3; n++) kept[left][n] = here[n] + one / (one - other) * (next[n] - here[n]);
        left++;
    }
    memcpy(points, kept, (size_t)left * sizeof *kept);
    return left;
}

/* Where the other's face is behind this one's, within its outline. */
static int find_patch(const solid *s, const overlap *o, int face, dContactGeom *found)
{
    double outline[MOST_POINTS][3], patch[MOST_POINTS][3], normal[3], unused[3], outwards[3], inwards[3];
    for (int i = 0; i < 3; i++) outwards[i] = face ? o->axis[i] : -o->axis[i];
    for (int i = 0; i < 3; i++) inwards[i] = -outwards[i];
    const int corners = find_face(&s[face], outwards, outline, normal);
    int count = find_face(&s[1 - face], inwards, patch, unused);
    for (int i = 0; i < corners; i++) {
        const double *from = outline[i], *to = outline[(i + 1) % corners], way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        double side[3];
        cross3(side, normal, way);
        count = cut(patch, count, from, side);
    }
    int met = 0;
    const int stride = (count + MAX_CONTACTS_PER_PAIR - 1) / MAX_CONTACTS_PER_PAIR;
    for (int i = 0; i < count; i += stride) {
        double depth = 0;
        for (int n = 0; n < 3; n++) depth += (outline[0][n] - patch[i][n]) * normal[n];
        if (depth < 0) continue;
        for (int n = 0; n < 3; n++) found[met].pos[n] = patch[i][n], found[met].normal[n] = o->axis[n];
        found[met++].depth = depth;
    }
    return met;
}

/* The corner that gets furthest in a direction, in the world. */
static void furthest(const solid *s, const double *direction, double *point)
{
    double own[3];
    turn_back3(own, s->turn, direction);
    const double *best = s->hull->corners;
    for (int i = 1; i < s->hull->corner_count; i++)
        if (dot3(s->hull->corners + 3 * i, own) > dot3(best, own)) best = s->hull->corners + 3 * i;
    turn3(point, s->turn, best);
    for (int i = 0; i < 3; i++) point[i] += s->place[i];
}

/* One point: between two edges where they cross, or else between the corners that get furthest into each other. */
static int find_point(const solid *s, const overlap *o, dContactGeom *found)
{
    double ends[2][3], inwards[3], apart[3];
    for (int i = 0; i < 3; i++) inwards[i] = -o->axis[i];
    furthest(&s[0], inwards, ends[0]);
    furthest(&s[1], o->axis, ends[1]);
    if (o->face < 0) {
        const double *one = o->edges[0], *other = o->edges[1], between = dot3(one, other), bent = 1 - between * between;
        for (int i = 0; i < 3; i++) apart[i] = ends[1][i] - ends[0][i];
        const double along = dot3(apart, one), across = dot3(apart, other);
        for (int i = 0; i < 3; i++) {
            ends[0][i] += (along - between * across) / bent * one[i];
            ends[1][i] += (between * along - across) / bent * other[i];
        }
    }
    for (int i = 0; i < 3; i++) found->pos[i] = 0.5 * (ends[0][i] + ends[1][i]), found->normal[i] = o->axis[i];
    found->depth = o->depth;
    return 1;
}

/* As dCollide: the normals point into the first. */
int collide_hulls(const geom *first, const geom *second, dContactGeom *found)
{
    const solid solids[2] = {{first->hull, dGeomGetPosition(first->ode), dGeomGetRotation(first->ode)},
                             {second->hull, dGeomGetPosition(second->ode), dGeomGetRotation(second->ode)}};
    overlap o;
    if (!find_overlap(solids, &o)) return 0;
    const int count = o.face >= 0 ? find_patch(solids, &o, o.face, found) : 0;
    return count ? count : find_point(solids, &o, found);
}
