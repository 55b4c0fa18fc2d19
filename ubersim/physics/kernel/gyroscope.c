/* The torque by which a turning body's momentum stays while its axes move. ODE's own term is implicit and damps: a free body
   loses percents of its energy within seconds. This one follows Euler's equations by the implicit midpoint rule, which keeps
   energy and the amount of angular momentum. What joints hold turns as these let it: its torque is taken at the mean of the velocities before and
   after the step, as far as these can be known beforehand. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

enum { ITERATIONS = 4, MOST_PARTS = 16 };
static const double SLOW = 1e-6;      /* [rad/s]; below, the torque is lost in rounding */
static const double SLOW_TURN = 0.01; /* [rad] in a step; below, one look is enough */

static void multiply(double *result, const double *matrix, const double *v)
{
    for (int i = 0; i < 3; i++) result[i] = matrix[3 * i] * v[0] + matrix[3 * i + 1] * v[1] + matrix[3 * i + 2] * v[2];
}

/* Advances the rates in the body's own axes: w' = w + dt * I^-1 (I m x m), where m is the mean of w and w'. */
static void midpoint(const body *b, double dt, double *rates)
{
    const double before[3] = {rates[0], rates[1], rates[2]};
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        double mean[3], momentum[3], torque[3], change[3];
        for (int i = 0; i < 3; i++) mean[i] = 0.5 * (before[i] + rates[i]);
        multiply(momentum, b->inertia, mean);
        dCalcVectorCross3(torque, momentum, mean);
        multiply(change, b->inverse_inertia, torque);
        for (int i = 0; i < 3; i++) rates[i] = before[i] + dt * change[i];
    }
}

void push_flying(const workspace *w)
{
    const kernel *k = w->world;
    for (int n = 0; n < w->body_count; n++) {
        body *b = w->bodies[n];
        if (b->spherical || !b->tree.lonely) continue;
        const double speed = sqrt(dCalcVectorDot3(b->angular, b->angular));
        if (!(speed > SLOW)) continue;
        double rates[3], before[3], momentum[3], torque[3];
        dMultiply1_331(rates, b->rotation, b->angular);
        for (int i = 0; i < 3; i++) before[i] = rates[i];
        /* A fast body turns far in a step; small parts keep the iteration convergent. */
        const double parts = fmin(MOST_PARTS, ceil(4 * speed * k->step));
        for (int part = 0; part < (int)parts; part++) midpoint(b, k->step / parts, rates);
        for (int i = 0; i < 3; i++) rates[i] = (rates[i] - before[i]) / k->step;
        multiply(momentum, b->inertia, rates);
        dMultiply0_331(torque, b->rotation, momentum);
        for (int i = 0; i < 3; i++) b->torque[i] += torque[i];
    }
}

static bool precesses(const kernel *k, const body *b)
{
    return !b->spherical && !b->tree.lonely && dCalcVectorDot3(b->angular, b->angular) * k->step * k->step > SLOW_TURN * SLOW_TURN;
}

/* The impulse of the torque at a rate: rate x inertia rate, backwards. */
static void add_torque(const kernel *k, body *b, double sign, const double *rate)
{
    double momentum[3];
    multiply(momentum, b->branch->own_inertia, rate);
    add_cross3(b->branch->momentum + 3, -sign * k->step, rate, momentum);
}

void push_held(const workspace *w)
{
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        if (b->spherical || b->tree.lonely) continue;
        memcpy(b->branch->guess, b->angular, sizeof b->branch->guess);
        add_torque(w->world, b, 1, b->angular);
    }
}

/* Once it is known what velocities that leads to; returns whether it changes anything. */
bool push_held_again(const workspace *w)
{
    const kernel *k = w->world;
    bool any = false;
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        if (!precesses(k, b)) continue;
        double *last = b->branch->guess, mean[3];
        for (int n = 0; n < 3; n++) mean[n] = 0.5 * (b->angular[n] + b->branch->motion[3 + n]);
        add_torque(k, b, -1, last);
        add_torque(k, b, 1, mean);
        memcpy(last, mean, sizeof mean);
        any = true;
    }
    return any;
}
