/* The torque by which a turning body's momentum stays while its axes move. ODE's own term is implicit and damps: a free body
   loses percents of its energy within seconds. This one follows Euler's equations by the implicit midpoint rule, which keeps
   energy and the amount of angular momentum. */
#include <math.h>

#include "kernel.h"

enum { ITERATIONS = 4, MOST_PARTS = 16 };
static const double SLOW = 1e-6; /* [rad/s]; below, the torque is lost in rounding */

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

void add_gyroscopic_torques(kernel *k)
{
    for (int row = 0; row < k->bodies.count; row++) {
        body *b = k->bodies.items[row];
        if (b->spherical || b->kinematic) continue;
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
        dBodyAddTorque(b->ode, torque[0], torque[1], torque[2]);
    }
}
