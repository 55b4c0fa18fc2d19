/* Bodies that move as one piece. */
#include <math.h>
#include <stdio.h>

#include "kernel.h"
#include "spatial.h"

static const double FASTEST = 1e5; /* of any point of them [m/s] */

static bool too_fast(const body *b, const double *velocity, const double *rate)
{
    return !(sqrt(dot3(velocity, velocity)) + sqrt(dot3(rate, rate)) * b->reach <= FASTEST);
}

static int refuse(kernel *k, const double *velocity, const double *rate)
{
    snprintf(k->message, sizeof k->message,
             "a body's velocity is [%g, %g, %g], turning with [%g, %g, %g], allowed is up to %g m/s anywhere on it", velocity[0],
             velocity[1], velocity[2], rate[0], rate[1], rate[2], FASTEST);
    return KERNEL_REFUSED;
}

static void set_motion(kernel *k, body *b, const double *velocity, const double *rate)
{
    dBodySetLinearVel(b->ode, velocity[0], velocity[1], velocity[2]);
    dBodySetAngularVel(b->ode, rate[0], rate[1], rate[2]);
    export_body(k, b);
}

/* Written out, for the same bits as Python's complex numbers. */
static void velocity_at(const double *position, const planar_motion *m, double *velocity)
{
    const double x = position[0] - m->x, y = position[1] - m->y;
    velocity[0] = m->velocity_x + (m->swing_x * x - m->swing_y * y);
    velocity[1] = m->velocity_y + (m->swing_x * y + m->swing_y * x);
    velocity[2] = 0;
}

int kernel_move_piece(kernel *k, int count, body **bodies, const planar_motion *m)
{
    double velocity[3];
    const double rate[3] = {0, 0, m->turn};
    for (int i = 0; i < count; i++) { /* before anything is changed: they move together, or not at all */
        velocity_at(bodies[i]->position, m, velocity);
        if (too_fast(bodies[i], velocity, rate)) return refuse(k, velocity, rate);
    }
    for (int i = 0; i < count; i++) {
        velocity_at(bodies[i]->position, m, velocity);
        set_motion(k, bodies[i], velocity, rate);
    }
    return KERNEL_FINE;
}

/* The mean velocity of a place that turns about the point while that moves: Rodrigues' formula. */
static void velocity_in_space(const kernel *k, const double *position, const spatial_motion *m, double *velocity)
{
    double arm[3], swing[3], twice[3];
    for (int i = 0; i < 3; i++) arm[i] = position[i] - m->point[i];
    cross3(swing, m->rate, arm);
    cross3(twice, m->rate, swing);
    const double rate = sqrt(dot3(m->rate, m->rate)), angle = rate * k->step, half = 0.5 * angle;
    const double first = angle ? sin(angle) / angle : 1, second = half ? 0.5 * k->step * pow(sin(half) / half, 2) : 0;
    for (int i = 0; i < 3; i++) velocity[i] = m->velocity[i] + first * swing[i] + second * twice[i];
}

int kernel_move_freely(kernel *k, int count, body **bodies, const spatial_motion *m)
{
    double velocity[3];
    for (int i = 0; i < count; i++) {
        velocity_in_space(k, bodies[i]->position, m, velocity);
        if (too_fast(bodies[i], velocity, m->rate)) return refuse(k, velocity, m->rate);
    }
    for (int i = 0; i < count; i++) {
        velocity_in_space(k, bodies[i]->position, m, velocity);
        set_motion(k, bodies[i], velocity, m->rate);
    }
    return KERNEL_FINE;
}
