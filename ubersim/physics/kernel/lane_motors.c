/* The native lane: motors that follow a law in every frame. components/motors/ is the specification. */
#include <math.h>

#include "lane.h"

static const double RIGID = 1e9, LEAST_DAMPING = 1e-12, UNLIMITED_SPEED = 1e6;

enum { TARGET, KP, KI, KD, TORQUE_LIMIT, SPEED_LIMIT, WINDUP_LIMIT }; /* of a servo */
enum { SPEED, MOST_TORQUE, ACCELERATION };                            /* of one that keeps a speed */
enum { VOLTAGE, MOST_VOLTAGE, TORQUE_PER_CURRENT, RESISTANCE, DAMPING, STRONGEST }; /* of one for direct current */

/* A command has reached the robot; from here it takes the motor's own latency. */
int lane_set_motor(lane_motor *m, int64_t frame, int parameter, double value)
{
    int64_t arrival = frame + m->minimum;
    if (m->keeps_order && arrival < m->latest) arrival = m->latest;
    m->latest = arrival;
    m->pushed++;
    return lane_append(&m->delay, arrival, frame, parameter, value);
}

static void prepare(const lane *l, lane_motor *m)
{
    m->damping = RIGID, m->speed = UNLIMITED_SPEED, m->growth = 0;
    if (m->kind == LANE_VELOCITY) {
        m->force = m->values[MOST_TORQUE];
        return;
    }
    if (m->kind == LANE_DC) {
        m->damping = m->values[DAMPING], m->force = m->values[STRONGEST];
        return;
    }
    m->damping = m->values[KD] + l->step * m->values[KP];
    if (!(m->damping > LEAST_DAMPING)) m->damping = LEAST_DAMPING;
    m->force = m->values[TORQUE_LIMIT];
    m->speed = m->values[SPEED_LIMIT];
    m->growth = m->values[KI] * l->step;
}

void lane_prepare(lane *l)
{
    for (int i = 0; i < l->client_count; i++)
        for (int n = 0; n < l->clients[i].motor_count; n++) prepare(l, &l->clients[i].motors[n]);
}

static void aim(const lane *l, const lane_motor *m, double speed)
{
    joint_set(l->k, m->joint, m->vel, speed > m->speed ? m->speed : speed < -m->speed ? -m->speed : speed);
}

static void engage(const lane *l, const lane_motor *m)
{
    joint_set(l->k, m->joint, m->fmax, m->force);
    joint_set(l->k, m->joint, m->cfm, 1.0 / m->damping);
}

/* With all the force that is wanted, also where it may not go so fast. */
static void reach(const lane *l, const lane_motor *m, double speed)
{
    if (fabs(speed) > m->speed) {
        const double force = m->damping * (speed - joint_rate(m->joint, m->axis)), size = fabs(force);
        joint_set(l->k, m->joint, m->cfm, 1.0 / RIGID);
        joint_set(l->k, m->joint, m->fmax, m->force < size ? m->force : size);
        joint_set(l->k, m->joint, m->vel, copysign(m->speed, force));
    } else {
        engage(l, m);
        joint_set(l->k, m->joint, m->vel, speed);
    }
}

static bool hold_position(const lane *l, lane_motor *m)
{
    double position = joint_position(m->joint, m->axis);
    if (m->zero) position += m->zero;
    double error = m->values[TARGET] - position;
    if (m->wraps) error = remainder(error, 2 * M_PI);
    if (m->growth) {
        const double most = m->values[WINDUP_LIMIT], integral = m->memory + m->growth * error;
        m->memory = integral > most ? most : integral < -most ? -most : integral;
    }
    const double speed = (m->values[KP] * error + m->memory + 0.0) / m->damping;
    if (m->speed < UNLIMITED_SPEED)
        reach(l, m, speed);
    else
        aim(l, m, speed);
    return true;
}

static bool keep_speed(const lane *l, lane_motor *m)
{
    const double most = m->values[ACCELERATION] * l->step, change = m->values[SPEED] - m->memory;
    m->memory = fabs(change) <= most ? m->values[SPEED] : m->memory + (change > 0 ? most : -most);
    aim(l, m, m->memory);
    return m->memory != m->values[SPEED];
}

/* Its torque falls with the speed by itself. */
static void apply_voltage(const lane *l, const lane_motor *m)
{
    const double most = m->values[MOST_VOLTAGE], wanted = m->values[VOLTAGE];
    const double voltage = wanted > most ? most : wanted < -most ? -most : wanted;
    aim(l, m, m->values[TORQUE_PER_CURRENT] * voltage / m->values[RESISTANCE] / m->values[DAMPING]);
}

/* The work of one frame; whether there is more. */
static bool follow_law(const lane *l, lane_motor *m)
{
    switch (m->kind) {
    case LANE_SERVO: return hold_position(l, m);
    case LANE_VELOCITY: return keep_speed(l, m);
    default: return false;
    }
}

static void drive(lane *l, lane_motor *m)
{
    lane_queue *q = &m->delay;
    for (; q->count && q->items[q->first].frame <= l->frame; q->first++, q->count--) {
        m->values[q->items[q->first].target] = q->items[q->first].value;
        m->changed = m->was_set = true;
    }
    if (m->changed) {
        prepare(l, m);
        engage(l, m);
        if (m->kind == LANE_DC) apply_voltage(l, m);
        m->changed = false;
    }
    m->busy = follow_law(l, m) || q->count;
}

int lane_drive(lane *l, lane_client *c)
{
    for (int i = 0; i < c->motor_count; i++)
        if (c->motors[i].busy) {
            drive(l, &c->motors[i]);
            c->driven = l->frame;
        }
    return 0;
}
