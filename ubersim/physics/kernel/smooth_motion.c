/* A tree that nothing holds or drives, and that touches nothing: its joints are all there is, and its motion is smooth. It is followed by the classical
   Runge-Kutta rule, of fourth order, where a step of the solver is of first; that takes four looks at the tree instead of one. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

enum { STAGES = 4, MOST_PARTS = 16 };
static const double FARTHEST_TURN = 0.25; /* [rad] in one part of a step */

/* A body's place, quaternion and velocities: where it set out, and by how much they change in a part of the step. */
typedef struct {
    double start[13], change[13];
} course;

static void write_down(const body *b, double *state)
{
    memcpy(state, b->position, 3 * sizeof(double));
    memcpy(state + 3, b->quaternion, 4 * sizeof(double));
    memcpy(state + 7, b->linear, 3 * sizeof(double));
    memcpy(state + 10, b->angular, 3 * sizeof(double));
}

static void put(body *b, const double *state)
{
    const double *q = state + 3, length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    memcpy(b->position, state, 3 * sizeof(double));
    for (int i = 0; i < 4; i++) b->quaternion[i] = q[i] / length;
    dRfromQ(b->rotation, b->quaternion);
    memcpy(b->linear, state + 7, 3 * sizeof(double));
    memcpy(b->angular, state + 10, 3 * sizeof(double));
}

/* The velocities that joints allow of those that there are: what small errors of many steps have come to is taken out. */
static void mend_velocities(const workspace *w)
{
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        double motion[6];
        memcpy(motion, b->linear, 3 * sizeof(double));
        memcpy(motion + 3, b->angular, 3 * sizeof(double));
        momentum_of(b, motion, b->branch->momentum);
        memcpy(b->branch->free, b->branch->chord, sizeof b->branch->chord);
        memset(b->branch->chord, 0, sizeof b->branch->chord);
    }
    move_trees(w, false);
    move_trees(w, true);
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        memcpy(b->linear, b->branch->motion, 3 * sizeof(double));
        memcpy(b->angular, b->branch->motion + 3, 3 * sizeof(double));
        memcpy(b->branch->chord, b->branch->free, sizeof b->branch->chord);
    }
}

/* By how much all velocities would change in a step if everything went on as it is now. */
static void accelerate(const workspace *w)
{
    const kernel *k = w->world;
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        const double *force = b->force, *torque = b->torque;
        double motion[6] = {0}, spin[6];
        memcpy(motion + 3, b->angular, 3 * sizeof(double));
        momentum_of(b, motion, spin);
        for (int n = 0; n < 3; n++) {
            b->branch->momentum[n] = k->step * (force[n] + b->mass * k->gravity[n]);
            b->branch->momentum[3 + n] = k->step * torque[n];
        }
        add_cross3(b->branch->momentum + 3, -k->step, b->angular, spin + 3);
        b->branch->kept = 0;
    }
    move_trees(w, false);
}

/* The change of place, quaternion and velocities in a time. */
static void find_change(const kernel *k, const body *b, double time, double *change)
{
    const double *q = b->quaternion, half = 0.5 * time, x = half * b->angular[0], y = half * b->angular[1], z = half * b->angular[2];
    for (int i = 0; i < 3; i++) change[i] = time * b->linear[i];
    change[3] = -x * q[1] - y * q[2] - z * q[3];
    change[4] = x * q[0] + y * q[3] - z * q[2];
    change[5] = -x * q[3] + y * q[0] + z * q[1];
    change[6] = x * q[2] - y * q[1] + z * q[0];
    for (int i = 0; i < 6; i++) change[7 + i] = time / k->step * b->branch->motion[i];
}

/* One part of a step; all is weighed and accelerated at its beginning. */
static void advance_part(const workspace *w, double time, course *courses)
{
    static const double SHARES[STAGES] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0}, REACHES[STAGES] = {0.5, 0.5, 1, 0};
    for (int stage = 0; stage < STAGES; stage++) {
        if (stage) weigh_trees(w, true), accelerate(w);
        for (int i = 0; i < w->body_count; i++) {
            body *b = w->bodies[i];
            course *c = &courses[i];
            double change[13], next[13];
            if (!stage) write_down(b, c->start), memset(c->change, 0, sizeof c->change);
            find_change(w->world, b, time, change);
            for (int n = 0; n < 13; n++) {
                c->change[n] += SHARES[stage] * change[n];
                next[n] = c->start[n] + (stage == STAGES - 1 ? c->change[n] : REACHES[stage] * change[n]);
            }
            put(b, next);
        }
    }
}

/* Into how many parts a step has to be divided; too many to be worth it for what is too fast. */
static int parts_of(const workspace *w)
{
    double fastest = 0;
    for (int i = 0; i < w->body_count; i++) fastest = fmax(fastest, dot3(w->bodies[i]->angular, w->bodies[i]->angular));
    const double parts = ceil(sqrt(fastest) * w->world->step / FARTHEST_TURN);
    return parts < 1 ? 1 : parts <= MOST_PARTS ? (int)parts : MOST_PARTS + 1;
}

bool glides(const workspace *w)
{
    const branch *root = w->bodies[0]->branch;
    return !w->constraint_count && w->island->trees == 1 && !root->lonely && !root->base && parts_of(w) <= MOST_PARTS;
}

void glide(workspace *w)
{
    const double step = w->world->step;
    const int parts = parts_of(w);
    course *courses = borrow(&w->memory, (size_t)w->body_count * sizeof *courses);
    weigh_trees(w, true);
    mend_velocities(w);
    for (int part = 0; part < parts; part++) {
        if (part) weigh_trees(w, true);
        accelerate(w);
        if (!part) keep_forces(w);
        advance_part(w, step / parts, courses);
    }
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        b->age = 0.5;
        turn_body(b, b->branch->shift + 3, step);
        settle(b, step, b->branch->shift);
        w->exploded |= has_exploded(b);
    }
}
