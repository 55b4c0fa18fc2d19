/* Bodies that move as one piece. */
#include <stdio.h>

#include "kernel.h"

static const double FASTEST = 1e8; /* as for a single body, see handles.py */

static inline bool too_fast(double x) { return !(x <= FASTEST && x >= -FASTEST); }

/* Written out, for the same bits as Python's complex numbers. */
static void velocity_at(const double *position, const planar_motion *m, double *velocity)
{
    const double x = position[0] - m->x, y = position[1] - m->y;
    velocity[0] = m->velocity_x + (m->swing_x * x - m->swing_y * y);
    velocity[1] = m->velocity_y + (m->swing_x * y + m->swing_y * x);
}

int kernel_move_piece(kernel *k, int count, body **bodies, const planar_motion *m)
{
    double velocity[2];
    for (int i = 0; i < count; i++) { /* before anything is changed: they move together, or not at all */
        velocity_at(bodies[i]->position, m, velocity);
        if (too_fast(velocity[0]) || too_fast(velocity[1]) || too_fast(m->turn)) {
            snprintf(k->message, sizeof k->message, "a body's velocity is [%g, %g, 0], turning with %g, allowed is up to %g",
                     velocity[0], velocity[1], m->turn, FASTEST);
            return KERNEL_REFUSED;
        }
    }
    for (int i = 0; i < count; i++) {
        velocity_at(bodies[i]->position, m, velocity);
        dBodySetLinearVel(bodies[i]->ode, velocity[0], velocity[1], 0);
        dBodySetAngularVel(bodies[i]->ode, 0, 0, m->turn);
        export_body(k, bodies[i]);
    }
    return KERNEL_FINE;
}
