/* How trees of bodies move when they are pushed: Featherstone's articulated inertia, in the bodies' own coordinates. What hangs on a joint
   and touches nothing costs its parent one small matrix, and no row anywhere. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

static void find_world_inertia(body *b)
{
    if (b->spherical) {
        memcpy(b->branch->own_inertia, b->inertia, sizeof b->inertia);
        return;
    }
    double half[9]; /* rotation times inertia */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[3 * i + j] = b->rotation[4 * i] * b->inertia[j] + b->rotation[4 * i + 1] * b->inertia[3 + j] +
                              b->rotation[4 * i + 2] * b->inertia[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            b->branch->own_inertia[3 * i + j] = b->branch->own_inertia[3 * j + i] = half[3 * i] * b->rotation[4 * j] +
                                                                        half[3 * i + 1] * b->rotation[4 * j + 1] +
                                                                        half[3 * i + 2] * b->rotation[4 * j + 2];
}

void momentum_of(const body *b, const double *motion, double *momentum)
{
    for (int i = 0; i < 3; i++) {
        momentum[i] = b->mass * motion[i];
        momentum[3 + i] = dot3(b->branch->own_inertia + 3 * i, motion + 3);
    }
}

/* The momentum that the body would have at the step's end if it were alone. */
static void push_freely(const kernel *k, body *b)
{
    const double *force = b->force, *torque = b->torque;
    double motion[6];
    memcpy(motion, b->linear, 3 * sizeof(double));
    memcpy(motion + 3, b->angular, 3 * sizeof(double));
    momentum_of(b, motion, b->branch->momentum);
    for (int i = 0; i < 3; i++) {
        b->branch->momentum[i] += k->step * (force[i] + b->mass * k->gravity[i]);
        b->branch->momentum[3 + i] += k->step * torque[i];
    }
}

/* The momentum that the joint's rotor has, which turns or slides as the body does against its parent. */
static double rotor_momentum(const body *b)
{
    const branch *t = b->branch;
    const body *holder = b->tree.parent ? b->tree.parent : t->base;
    if (!(t->joint->armature > 0) || t->freedoms != 1) return 0;
    double carried[6] = {0};
    if (holder) {
        double motion[6];
        memcpy(motion, holder->linear, 3 * sizeof(double));
        memcpy(motion + 3, holder->angular, 3 * sizeof(double));
        carry_motion(carried, motion, t->arm);
    }
    const bool slides = t->joint->kind == SLIDER;
    double rate = 0;
    for (int i = 0; i < 3; i++)
        rate += slides ? t->axes[i] * (b->linear[i] - carried[i]) : t->axes[3 + i] * (b->angular[i] - carried[3 + i]);
    return t->joint->armature * rate;
}

/* What the joint to the parent leaves free, and how far it has come apart. `instant`: what its turning asks of accelerations, not of a step's velocities. */
static void set_out(const kernel *k, body *b, bool instant)
{
    branch *t = b->branch;
    memset(t->drift, 0, sizeof t->drift);
    memset(t->chord, 0, sizeof t->chord);
    t->kept = 0;
    if (!t->joint) {
        t->freedoms = 6;
        return;
    }
    joint_frame f;
    joint_stands(k, t->joint, &f);
    const int side = t->joint->first == b ? 0 : 1;
    const double sign = side ? -1 : 1, rate = sign * k->erp / k->step, *arm = f.arms[side];
    for (int i = 0; i < 3; i++) {
        t->arm[i] = f.arms[1 - side][i] - arm[i];
        t->drift[3 + i] = rate * f.tilt[i];
        t->drift[i] = -rate * f.parting[i];
    }
    find_chord(k, t->joint, &f, instant, t->chord, t->chord + 3);
    for (int i = 0; i < 6; i++) t->chord[i] *= sign;
    add_cross3(t->drift, 1, arm, t->drift + 3);
    add_cross3(t->chord, 1, arm, t->chord + 3);
    t->freedoms = f.turns + f.slides;
    for (int n = 0; n < f.turns; n++) {
        cross3(t->axes + 6 * n, arm, f.turn[n]);
        memcpy(t->axes + 6 * n + 3, f.turn[n], 3 * sizeof(double));
    }
    if (f.slides) {
        memcpy(t->axes + 6 * f.turns, f.slide, 3 * sizeof(double));
        memset(t->axes + 6 * f.turns + 3, 0, 3 * sizeof(double));
    }
    t->kept = rotor_momentum(b);
}

/* Cholesky's factor of a symmetric matrix, below the diagonal; on it the inverse, by which all others divide. */
static inline __attribute__((always_inline)) void factorise(double *factor, const double *matrix, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = matrix[n * i + j];
            for (int l = 0; l < j; l++) sum -= factor[n * i + l] * factor[n * j + l];
            factor[n * i + j] = i == j ? 1 / sqrt(sum) : sum * factor[n * j + j];
        }
}

static inline __attribute__((always_inline)) void solve_lower(const double *factor, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) x[i] -= factor[n * i + j] * x[j];
        x[i] *= factor[n * i + i];
    }
}

static inline __attribute__((always_inline)) void solve_upper(const double *factor, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= factor[n * j + i] * x[j];
        x[i] *= factor[n * i + i];
    }
}

/* Adds what the parent feels of a branch: `felt` seen over the arm. */
static void add_carried_inertia(double *sum, const double *felt, const double *arm)
{
    double mixed[9]; /* linear rows, angular columns */
    for (int i = 0; i < 3; i++) {
        memcpy(mixed + 3 * i, felt + 6 * i + 3, 3 * sizeof(double));
        add_cross3(mixed + 3 * i, -1, felt + 6 * i, arm);
    }
    for (int i = 0; i < 3; i++) {
        double row[3] = {felt[6 * (3 + i) + 3], felt[6 * (3 + i) + 4], felt[6 * (3 + i) + 5]};
        const double column[3] = {felt[3 + i], felt[6 + 3 + i], felt[12 + 3 + i]};
        add_cross3(row, -1, column, arm);
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            row[j] += arm[a] * mixed[3 * b + j] - arm[b] * mixed[3 * a + j];
            sum[6 * i + j] += felt[6 * i + j];
            sum[6 * i + 3 + j] += mixed[3 * i + j];
            sum[6 * (3 + j) + i] += mixed[3 * i + j];
            sum[6 * (3 + i) + 3 + j] += row[j];
        }
    }
}

static void own_inertia(body *b)
{
    for (int i = 0; i < 3; i++) {
        double *linear = b->branch->inertia + 6 * i, *angular = linear + 18;
        for (int j = 0; j < 3; j++) {
            linear[j] = i == j ? b->mass : 0;
            linear[3 + j] = angular[j] = 0;
            angular[3 + j] = b->branch->own_inertia[3 * i + j];
        }
    }
}

/* What follows is written once for `n` freedoms; nearly all joints are hinges, for which the compiler leaves nothing of its loops. */
static inline __attribute__((always_inline)) void hand_on(branch *t, int n)
{
    double felt[36], turned[6 * MOST_FREEDOMS], matrix[MOST_FREEDOMS * MOST_FREEDOMS];
    for (int i = 0; i < n; i++)
        for (int row = 0; row < 6; row++) t->gain[6 * i + row] = dot6(t->inertia + 6 * row, t->axes + 6 * i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) matrix[n * i + j] = dot6(t->axes + 6 * i, t->gain + 6 * j);
    if (n == 1) matrix[0] += t->joint->armature;
    factorise(t->factor, matrix, n);
    if (!t->parent) return;
    const double *left = t->inertia;
    for (int row = 0; row < 6; row++) {
        double column[MOST_FREEDOMS];
        for (int i = 0; i < n; i++) column[i] = t->gain[6 * i + row];
        solve_lower(t->factor, n, column);
        for (int i = 0; i < n; i++) turned[6 * i + row] = column[i];
    }
    for (int i = 0; i < n; i++, left = felt)
        for (int row = 0; row < 6; row++)
            for (int column = 0; column < 6; column++) felt[6 * row + column] = left[6 * row + column] - turned[6 * i + row] * turned[6 * i + column];
    add_carried_inertia(t->parent->inertia, left, t->arm);
}

static void hand_inertia_on(body *b)
{
    branch *t = b->branch;
    if (t->freedoms == 6)
        factorise(t->factor, t->inertia, 6);
    else if (t->freedoms == 1)
        hand_on(t, 1);
    else
        hand_on(t, t->freedoms);
}

void weigh_trees(const workspace *w, bool instant)
{
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        find_world_inertia(b);
        if (!instant) push_freely(w->world, b);
        set_out(w->world, b, instant);
        own_inertia(b);
    }
    for (int i = w->body_count - 1; i >= 0; i--) hand_inertia_on(w->bodies[i]);
}

static inline __attribute__((always_inline)) void take_along(const branch *t, int n, double kept, double *impulse, double *whitened)
{
    double taken[MOST_FREEDOMS];
    for (int i = 0; i < n; i++) whitened[i] = dot6(t->axes + 6 * i, impulse);
    if (kept != 0) whitened[0] += kept;
    solve_lower(t->factor, n, whitened);
    for (int i = 0; i < n; i++) taken[i] = whitened[i];
    solve_upper(t->factor, n, taken);
    for (int i = 0; i < n; i++)
        for (int row = 0; row < 6; row++) impulse[row] -= t->gain[6 * i + row] * taken[i];
}

/* An impulse on a branch, and what its joint has kept: what its freedoms take up of it, whitened; what is left for the parent stays in
   `impulse`. */
void take_up(const branch *t, double kept, double *impulse, double *whitened)
{
    if (t->freedoms == 6) {
        memcpy(whitened, impulse, 6 * sizeof(double));
        solve_lower(t->factor, 6, whitened);
    } else if (t->freedoms == 1)
        take_along(t, 1, kept, impulse, whitened);
    else
        take_along(t, t->freedoms, kept, impulse, whitened);
}

static inline __attribute__((always_inline)) void swing(const branch *t, int n, bool places, const double *carried, double *motion)
{
    double amounts[MOST_FREEDOMS];
    for (int i = 0; i < n; i++) amounts[i] = dot6(t->gain + 6 * i, carried);
    solve_lower(t->factor, n, amounts);
    for (int i = 0; i < n; i++) amounts[i] = t->whitened[i] - amounts[i];
    solve_upper(t->factor, n, amounts);
    for (int row = 0; row < 6; row++) motion[row] = carried[row] + (places ? t->drift[row] : t->chord[row]);
    for (int i = 0; i < n; i++)
        for (int row = 0; row < 6; row++) motion[row] += amounts[i] * t->axes[6 * i + row];
}

static void move_with_parent(const branch *t, bool places, double *motion)
{
    double carried[6] = {0};
    if (t->freedoms == 6) {
        memcpy(motion, t->whitened, sizeof t->whitened);
        solve_upper(t->factor, 6, motion);
        return;
    }
    if (t->parent)
        carry_motion(carried, places ? t->parent->shift : t->parent->motion, t->arm);
    else if (t->base && !places) {
        double told[6];
        memcpy(told, t->base->linear, 3 * sizeof(double));
        memcpy(told + 3, t->base->angular, 3 * sizeof(double));
        carry_motion(carried, told, t->arm);
    }
    if (t->freedoms == 1)
        swing(t, 1, places, carried, motion);
    else
        swing(t, t->freedoms, places, carried, motion);
}

/* Motions from what the freedoms have taken up. Joints add what they have come apart, or what their turning asks for. */
static void swing_trees(const workspace *w, bool places)
{
    for (int i = 0; i < w->body_count; i++) {
        branch *t = &w->branches[i];
        move_with_parent(t, places, places ? t->shift : t->motion);
    }
}

/* What the freedoms take up of the burdens, from the tips to the roots, and the motions that come of it. */
static void share_burdens(const workspace *w, bool places)
{
    for (int i = w->body_count - 1; i >= 0; i--) {
        branch *t = &w->branches[i];
        take_up(t, places ? 0 : t->kept, t->burden, t->whitened);
        if (t->parent) add_carried_impulse(t->parent->burden, t->burden, t->arm);
    }
    swing_trees(w, places);
}

/* Motions from momenta; `places`: shifts that mend joints. */
void move_trees(const workspace *w, bool places)
{
    for (int i = 0; i < w->body_count; i++) {
        branch *t = &w->branches[i];
        for (int row = 0; row < 6; row++) t->burden[row] = places ? 0 : t->momentum[row];
        if (t->freedoms == 6) continue;
        for (int row = 0; row < 6; row++) {
            t->asked[row] = dot6(t->inertia + 6 * row, places ? t->drift : t->chord);
            t->burden[row] -= t->asked[row];
        }
    }
    share_burdens(w, places);
}

/* Velocities again, of other momenta. */
void move_trees_again(const workspace *w)
{
    for (int i = 0; i < w->body_count; i++) {
        branch *t = &w->branches[i];
        for (int row = 0; row < 6; row++) t->burden[row] = t->freedoms == 6 ? t->momentum[row] : t->momentum[row] - t->asked[row];
    }
    share_burdens(w, false);
}

static inline __attribute__((always_inline)) void add_share(double *restrict sum, double share, const double *restrict of, int n)
{
    for (int i = 0; i < n; i++) sum[i] += share * of[i];
}

/* And once the constraints' impulses are known, whose rows say what the freedoms take up of them. */
void move_trees_on(const workspace *w, bool places)
{
    for (int i = 0; i < w->constraint_count; i++) {
        const constraint *c = w->constraints[i];
        for (int row = 0; row < c->rows; row++) {
            if (c->impulse[row] == 0) continue;
            const double *whitened = c->whitened + row * c->stride;
            for (int n = 0; n < c->branches; n++) {
                branch *t = c->support[n];
                if (t->freedoms == 6)
                    add_share(t->whitened, c->impulse[row], whitened, 6);
                else
                    add_share(t->whitened, c->impulse[row], whitened, t->freedoms);
                whitened += t->freedoms;
            }
        }
    }
    swing_trees(w, places);
}
