/* What is where, seen from a place on a body, and what of it is in sight. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

void outlook_look(kernel *k, outlook *o)
{
    const body *const b = o->body;
    dVector3 arm;
    dMultiply0_331(arm, b->rotation, o->place);
    for (int i = 0; i < 3; i++) o->viewpoint[i] = b->position[i] + arm[i];
    for (int i = 0; i < 9; i++) {
        const double *const row = b->rotation + i / 3 * 4; /* ODE's matrices have rows of four, these have three */
        o->axes[i] = row[0] * o->turn[i % 3] + row[1] * o->turn[i % 3 + 3] + row[2] * o->turn[i % 3 + 6];
    }
    for (int n = 0; n < o->things + o->aims; n++) {
        const double *const at = o->where + 3 * n;
        double from[3];
        for (int i = 0; i < 3; i++) {
            from[i] = at[i];
            if (o->rows[n] >= 0) {
                const double *const turn = k->rotations + 9 * o->rows[n] + 3 * i;
                from[i] = turn[0] * at[0] + turn[1] * at[1] + turn[2] * at[2] + k->positions[3 * o->rows[n] + i];
            }
            from[i] -= o->viewpoint[i];
        }
        for (int i = 0; i < 3; i++) o->seen[3 * n + i] = from[0] * o->axes[i] + from[1] * o->axes[i + 3] + from[2] * o->axes[i + 6];
    }
}

void outlook_frame(outlook *o, double wide, double high, double nearest, double farthest)
{
    for (int n = 0; n < o->aims; n++) {
        const double *const p = o->seen + 3 * (o->things + n), ahead = p[1];
        o->inside[n] = fabs(p[0]) <= wide * ahead && fabs(p[2]) <= high * ahead && ahead >= nearest && ahead <= farthest;
    }
}

typedef struct {
    kernel *k;
    outlook *o;
    target *targets;
    int count;
} search;

static inline int thing_of(const search *s, const target *t) { return (int)s->o->thing_of_geom[t->place]; }

/* From the axes of the place to those of the world. */
static void into_world(const outlook *o, const double *ray, double *direction)
{
    for (int i = 0; i < 3; i++) direction[i] = dCalcVectorDot3(o->axes + 3 * i, ray);
}

/* Follows a ray, given in the axes of the place, to whatever it reaches first: that is in sight. */
static void follow(search *s, const double *ray, double range)
{
    double direction[3];
    into_world(s->o, ray, direction);
    dContactGeom hit;
    const target *const reached = nearest_target(s->k, s->targets, s->count, s->o->viewpoint, direction, range, &hit);
    if (reached && thing_of(s, reached) >= 0) s->o->visible[thing_of(s, reached)] = true;
}

/* Whether a ray may lead to something that is not in sight yet. */
static bool promising(const search *s, const double *ray, double range)
{
    double direction[3];
    into_world(s->o, ray, direction);
    for (int n = 0; n < s->count; n++) {
        const int thing = thing_of(s, s->targets + n);
        if (thing >= 0 && !s->o->visible[thing] && may_hit(s->targets + n, s->o->viewpoint, direction, range)) return true;
    }
    return false;
}

static void search_everywhere(search *s, double reach, int ray_count, const double *rays)
{
    const double beyond = 1e-6; /* how much farther than an aim a ray goes; a mesh is aimed at on its surface */
    const outlook *const o = s->o;
    for (int n = 0; n < o->aims; n++) {
        const double *const aim = o->seen + 3 * (o->things + n);
        const double distance = sqrt(dCalcVectorDot3(aim, aim));
        if (!o->inside[n] || distance > reach || distance == 0 || o->visible[o->thing_of_aim[n]]) continue;
        follow(s, aim, distance + (distance + 1) * beyond);
    }
    for (int n = 0; n < ray_count; n++)
        if (promising(s, rays + 3 * n, reach)) follow(s, rays + 3 * n, reach);
}

int outlook_search(kernel *k, outlook *o, double reach, int ray_count, const double *rays)
{
    if (k->broken) return KERNEL_BROKEN;
    if (o->geoms != k->geoms.count) {
        snprintf(k->message, sizeof k->message, "%d geoms are known to this outlook, there are %d", o->geoms, k->geoms.count);
        return KERNEL_REFUSED;
    }
    memset(o->visible, 0, (size_t)o->things);
    search s = {.k = k, .o = o, .targets = malloc(((size_t)k->geoms.count + 1) * sizeof *s.targets)};
    if (k->mesh_count) lock_globals();
    int outcome = KERNEL_FINE;
    if (ODE_FAILED()) {
        guard_report(k);
        outcome = KERNEL_REFUSED;
    } else {
        s.count = gather_targets(k, NULL, o->body->owner, s.targets);
        search_everywhere(&s, reach, ray_count, rays);
    }
    guard_clear();
    unlock_globals();
    free(s.targets);
    return outcome;
}

int outlook_tell(outlook *o, int everything, double *rows)
{
    int count = 0;
    for (int n = 0; n < o->things; n++) {
        if (!everything && !o->visible[n]) continue;
        double *const row = rows + OUTLOOK_COLUMNS * count++;
        const double right = o->seen[3 * n], ahead = o->seen[3 * n + 1], up = o->seen[3 * n + 2];
        const double level = hypot(right, ahead), distance = hypot(level, up);
        row[0] = o->numbers[n];
        row[1] = atan2(-right, ahead);
        row[2] = atan2(up, level);
        row[3] = distance;
        /* As wide as the sphere around it; from within that, it fills half of all directions. */
        row[4] = 2 * asin(distance > o->radii[n] ? o->radii[n] / distance : 1.0);
    }
    return count;
}
