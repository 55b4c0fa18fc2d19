/* What is where, seen from a place on a body, and what of it is in sight. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

typedef struct {
    kernel *k;
    sight *s;
    const picture *picture;
    double reach;
    double cosine, sine; /* of the cone that holds the picture */
    int count;          /* of the things that may be in the picture */
    const geom *screen; /* what hid the last aim: it often hides the next one, too */
} search;

static void find_place(sight *s)
{
    const body *const b = s->body;
    dVector3 arm;
    dMultiply0_331(arm, b->rotation, s->place);
    for (int i = 0; i < 3; i++) s->viewpoint[i] = b->position[i] + arm[i];
    for (int i = 0; i < 9; i++) {
        const double *const row = b->rotation + i / 3 * 4; /* ODE's matrices have rows of four, these have three */
        s->axes[i] = row[0] * s->turn[i % 3] + row[1] * s->turn[i % 3 + 3] + row[2] * s->turn[i % 3 + 6];
    }
}

/* From the viewpoint to a point of a body, in the axes of the world. */
static void way_to(const kernel *k, const sight *s, int64_t row, const double *point, double *way)
{
    for (int i = 0; i < 3; i++) {
        way[i] = point[i];
        if (row >= 0) {
            const double *const turn = k->rotations + 9 * row + 3 * i;
            way[i] = turn[0] * point[0] + turn[1] * point[1] + turn[2] * point[2] + k->positions[3 * row + i];
        }
        way[i] -= s->viewpoint[i];
    }
}

static void from_world(const sight *s, const double *way, double *seen)
{
    for (int i = 0; i < 3; i++) seen[i] = way[0] * s->axes[i] + way[1] * s->axes[i + 3] + way[2] * s->axes[i + 6];
}

static void look_at_center(const kernel *k, const sight *s, int n)
{
    double way[3];
    way_to(k, s, s->rows[n], s->centers + 3 * n, way);
    from_world(s, way, s->seen + 3 * n);
}

/* Whether any of the sphere around a thing may be in the picture: its centre's distance from the cone that holds the picture. */
static bool may_be_shown(const search *g, int n)
{
    const double *const c = g->s->seen + 3 * n, radius = g->s->radii[n], farthest = g->reach + radius;
    if (dCalcVectorDot3(c, c) > farthest * farthest) return false;
    const double along = g->picture->cone_axis * c[1], across = sqrt(c[0] * c[0] + c[2] * c[2]);
    return across * g->cosine - along * g->sine <= radius;
}

static void find_near(search *g)
{
    const sight *const s = g->s;
    for (int n = 0; n < s->things; n++) {
        if (s->owners[n] == s->body->owner) continue;
        look_at_center(g->k, s, n);
        if (may_be_shown(g, n)) s->near[g->count++] = n;
    }
}

static int thing_of(const sight *s, const geom *g)
{
    if (g->body) return (int)s->thing_of_row[g->body->row];
    const int64_t place = (int64_t)g->id - s->first_static;
    return place >= 0 && place < s->statics ? (int)place : -1;
}

static const geom *reached(search *g, const ray *r)
{
    dContactGeom hit;
    return nearest_geom(g->k, r, NULL, g->s->body->owner, &hit);
}

/* Whether what hid the last aim hides this one, too: hit before the sphere around the thing begins. */
static bool screened(search *g, double front)
{
    dContactGeom hit;
    return g->screen && ray_hits(g->k, g->screen, &hit) && hit.depth < front;
}

static bool look_for(search *g, int n)
{
    const double beyond = 1e-6; /* how much farther than an aim a ray goes; a mesh is aimed at on its surface */
    const sight *const s = g->s;
    const double *const center = s->seen + 3 * n, front = sqrt(dCalcVectorDot3(center, center)) - s->radii[n];
    for (int64_t a = s->first_aim[n]; a < s->first_aim[n + 1]; a++) {
        double way[3], seen[3];
        way_to(g->k, s, s->rows[n], s->aims + 3 * a, way);
        from_world(s, way, seen);
        const double distance = sqrt(dCalcVectorDot3(way, way));
        if (distance > g->reach || distance == 0 || !picture_shows(g->picture, seen)) continue;
        ray r;
        aim_ray(g->k, &r, s->viewpoint, way, distance + (distance + 1) * beyond);
        if (screened(g, front)) continue;
        g->screen = reached(g, &r);
        if (g->screen && thing_of(s, g->screen) == n) return true;
    }
    return false;
}

/* Whether a ray, a unit vector in the axes of the place, may lead to something that is not in sight yet. */
static bool promising(const search *g, const double *ray)
{
    for (int i = 0; i < g->count; i++) {
        const int64_t n = g->s->near[i];
        if (g->s->visible[n]) continue;
        const double *const c = g->s->seen + 3 * n, radius = g->s->radii[n];
        const double along = dCalcVectorDot3(c, ray), square = dCalcVectorDot3(c, c) - along * along;
        if (along >= -radius && along - radius <= g->reach && square <= radius * radius * (1 + 1e-9)) return true;
    }
    return false;
}

static void follow(search *g, const double *given)
{
    double unit[3], direction[3];
    const double length = sqrt(dCalcVectorDot3(given, given));
    for (int i = 0; i < 3; i++) unit[i] = given[i] / length;
    if (!promising(g, unit)) return;
    for (int i = 0; i < 3; i++) direction[i] = dCalcVectorDot3(g->s->axes + 3 * i, unit);
    ray r;
    aim_ray(g->k, &r, g->s->viewpoint, direction, g->reach);
    const geom *const found = reached(g, &r);
    const int thing = found ? thing_of(g->s, found) : -1;
    if (thing < 0) return;
    g->s->visible[thing] = true;
    look_at_center(g->k, g->s, thing); /* though rounding may have kept it from being looked for */
}

static int refusal(kernel *k, const sight *s)
{
    if (k->broken) return KERNEL_BROKEN;
    if (s->bodies == k->bodies.count) return KERNEL_FINE;
    snprintf(k->message, sizeof k->message, "%d bodies are known to this look around, there are %d", s->bodies, k->bodies.count);
    return KERNEL_REFUSED;
}

int sight_everything(kernel *k, sight *s)
{
    const int outcome = refusal(k, s);
    if (outcome != KERNEL_FINE) return outcome;
    find_place(s);
    for (int n = 0; n < s->things; n++) {
        s->visible[n] = s->owners[n] != s->body->owner;
        if (s->visible[n]) look_at_center(k, s, n);
    }
    return KERNEL_FINE;
}

int sight_search(kernel *k, sight *s, const picture *p, double reach, int ray_count, const double *rays)
{
    int outcome = refusal(k, s);
    if (outcome != KERNEL_FINE) return outcome;
    find_place(s);
    memset(s->visible, 0, (size_t)s->things);
    search g = {.k = k, .s = s, .picture = p, .reach = reach, .cosine = cos(p->cone_angle), .sine = sin(p->cone_angle)};
    find_near(&g);
    if (k->mesh_count) lock_globals();
    if (ODE_FAILED()) {
        guard_report(k);
        outcome = KERNEL_REFUSED;
    } else {
        fit_targets(k);
        for (int i = 0; i < g.count; i++) s->visible[s->near[i]] = look_for(&g, (int)s->near[i]);
        for (int i = 0; i < ray_count; i++) follow(&g, rays + 3 * i);
    }
    guard_clear();
    unlock_globals();
    return outcome;
}

int sight_tell(sight *s, double *rows)
{
    int count = 0;
    for (int n = 0; n < s->things; n++) {
        if (!s->visible[n]) continue;
        double *const row = rows + SIGHT_COLUMNS * count++;
        const double right = s->seen[3 * n], ahead = s->seen[3 * n + 1], up = s->seen[3 * n + 2];
        const double level = hypot(right, ahead), distance = hypot(level, up);
        row[0] = s->numbers[n];
        row[1] = atan2(-right, ahead);
        row[2] = atan2(up, level);
        row[3] = distance;
        /* As wide as the sphere around it; from within that, it fills half of all directions. */
        row[4] = 2 * asin(distance > s->radii[n] ? s->radii[n] / distance : 1.0);
    }
    return count;
}
