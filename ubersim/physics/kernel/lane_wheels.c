/* The native lane: drives on wheels. components/motors/twist.py and vehicle.py are the specification. */
#include <math.h>

#include "lane.h"

static const double RIGID = 1e9, UNLIMITED_SPEED = 1e6, FASTEST = 1e6;

enum { SPEED, SIDEWAYS, TURN };         /* of a twist: values, */
enum { PER_SIDEWAYS, PER_SPEED, PER_TURN }; /* and numbers of a wheel */
enum { KEPT_SPEED };                    /* of a motor that keeps one */

/* What the wheels, or their motors, have to do from now on. */
int lane_twist(const lane *l, lane_client *c, const lane_motor *m)
{
    const double *v = m->values;
    for (int i = 0; i < m->wheel_count; i++) {
        const lane_wheel *w = &m->wheels[i];
        const double rate = v[SIDEWAYS] * w->numbers[PER_SIDEWAYS] + v[SPEED] * w->numbers[PER_SPEED] + v[TURN] * w->numbers[PER_TURN];
        const double wanted = rate > FASTEST ? FASTEST : rate < -FASTEST ? -FASTEST : rate;
        if (w->motor < 0)
            joint_set(l->k, w->joint, w->vel, wanted);
        else if (!lane_set_motor(&c->motors[w->motor], l->frame, KEPT_SPEED, wanted))
            return LANE_FULL;
    }
    return 0;
}

enum { CAR_SPEED, STEERING, CURVATURE, CAR_TURN, CAR_SIDEWAYS, TIGHTEST, WHEELBASE, RADIUS, HASTE, STEERING_TORQUE, STEERING_SPEED, DRIVE_TORQUE };
enum { BEND, TWISTED };
enum { RIGHT, AHEAD, LEFT_SENSE, FORWARD_SENSE };

/* Which way of telling its course was the last. */
void lane_take_course(lane_motor *m, int parameter, double value)
{
    switch (parameter) {
    case STEERING: m->memory[BEND] = tan(value) / m->values[WHEELBASE], m->memory[TWISTED] = 0; break;
    case CURVATURE: m->memory[BEND] = value, m->memory[TWISTED] = 0; break;
    case CAR_TURN: m->memory[TWISTED] = 1; break;
    default: break;
    }
}

/* All wheels turn about one centre on the rear axle's line. */
void lane_follow_curve(lane_motor *m)
{
    const double *v = m->values, tightest = v[TIGHTEST], turn = v[CAR_TURN];
    double *bend = &m->memory[BEND];
    if (m->memory[TWISTED]) *bend = v[CAR_SPEED] ? turn / v[CAR_SPEED] : copysign(tightest, turn) * (turn ? 1 : 0);
    const double curvature = *bend > tightest ? tightest : *bend < -tightest ? -tightest : *bend;
    for (int i = 0; i < m->wheel_count; i++) {
        lane_wheel *w = &m->wheels[i];
        const double along = 1.0 + curvature * w->numbers[RIGHT], across = curvature * w->numbers[AHEAD];
        w->angle = w->numbers[LEFT_SENSE] * atan2(across, along);
        w->speed = w->numbers[FORWARD_SENSE] * sqrt(along * along + across * across) * v[CAR_SPEED];
    }
}

void lane_engage_wheels(const lane *l, const lane_motor *m)
{
    for (int i = 0; i < m->wheel_count; i++) {
        const lane_wheel *w = &m->wheels[i];
        lane_engage(l, w->joint, w->swing_fmax, w->swing_cfm, m->values[STEERING_TORQUE], RIGID);
        if (w->vel < 0) continue;
        lane_engage(l, w->joint, w->fmax, w->cfm, m->values[DRIVE_TORQUE], RIGID);
        lane_aim(l, w->joint, w->vel, w->speed / m->values[RADIUS], UNLIMITED_SPEED);
    }
}

void lane_steer(const lane *l, const lane_motor *m)
{
    for (int i = 0; i < m->wheel_count; i++) {
        const lane_wheel *w = &m->wheels[i];
        const double measured = joint_position(w->joint, 0), position = w->zero ? measured + w->zero : measured;
        lane_aim(l, w->joint, w->swing_vel, m->values[HASTE] * (w->angle - position), m->values[STEERING_SPEED]);
    }
}
