/* The native lane: motors that follow a law in every frame. components/motors/ is the specification. */
#include <math.h>

#include "lane.h"

static const double RIGID = 1e9, LEAST_DAMPING = 1e-12, UNLIMITED_SPEED = 1e6;

enum { TARGET, KP, KI, KD, TORQUE_LIMIT, SPEED_LIMIT, WINDUP_LIMIT }; /* of a servo */
enum { SPEED, MOST_TORQUE, ACCELERATION };                            /* of one that keeps a speed */
enum { VOLTAGE, MOST_VOLTAGE, TORQUE_PER_CURRENT, RESISTANCE, DAMPING, STRONGEST }; /* of one for direct current */
enum { KICK, STROKE, PLATE_SPEED, RETURN_SPEED, FORCE, NEAR, RECHARGE, PATIENCE };  /* of a kicker, */
enum { READY, SHOOTING, RETURNING };                                                /* its phases, */
enum { PHASE, SHOT_AT };                                                            /* and what it remembers */

/* A command has reached the robot; from here it takes the motor's own latency. */
int lane_set_motor(lane_motor *m, int64_t frame, int parameter, double value)
{
    int64_t arrival = frame + m->minimum;
    if (m->keeps_order && arrival < m->latest) arrival = m->latest;
    m->latest = arrival;
    m->pushed++;
    m->busy = true;
    return lane_append(&m->delay, arrival, frame, parameter, value);
}

static void prepare(const lane *l, lane_motor *m)
{
    m->damping = RIGID, m->speed = UNLIMITED_SPEED, m->growth = 0;
    switch (m->kind) {
    case LANE_VELOCITY: m->force = m->values[MOST_TORQUE]; break;
    case LANE_DC: m->damping = m->values[DAMPING], m->force = m->values[STRONGEST]; break;
    case LANE_KICK: m->force = m->values[FORCE]; break;
    case LANE_VEHICLE: lane_follow_curve(m); break;
    case LANE_SERVO:
        m->damping = m->values[KD] + l->step * m->values[KP];
        if (!(m->damping > LEAST_DAMPING)) m->damping = LEAST_DAMPING;
        m->force = m->values[TORQUE_LIMIT];
        m->speed = m->values[SPEED_LIMIT];
        m->growth = m->values[KI] * l->step;
        break;
    default: break;
    }
}

void lane_prepare(lane *l)
{
    for (int i = 0; i < l->client_count; i++)
        for (int n = 0; n < l->clients[i].motor_count; n++) prepare(l, &l->clients[i].motors[n]);
}

void lane_aim(const lane *l, joint *j, int vel, double speed, double fastest)
{
    joint_set(l->k, j, vel, speed > fastest ? fastest : speed < -fastest ? -fastest : speed);
}

void lane_engage(const lane *l, joint *j, int fmax, int cfm, double force, double damping)
{
    joint_set(l->k, j, fmax, force);
    joint_set(l->k, j, cfm, 1.0 / damping);
}

static void aim(const lane *l, const lane_motor *m, double speed) { lane_aim(l, m->joint, m->vel, speed, m->speed); }

/* With all the force that is wanted, also where it may not go so fast. */
static void reach(const lane *l, const lane_motor *m, double speed)
{
    if (fabs(speed) > m->speed) {
        const double force = m->damping * (speed - joint_rate(m->joint, m->axis)), size = fabs(force);
        joint_set(l->k, m->joint, m->cfm, 1.0 / RIGID);
        joint_set(l->k, m->joint, m->fmax, m->force < size ? m->force : size);
        joint_set(l->k, m->joint, m->vel, copysign(m->speed, force));
    } else {
        lane_engage(l, m->joint, m->fmax, m->cfm, m->force, m->damping);
        joint_set(l->k, m->joint, m->vel, speed);
    }
}

static double position_of(const lane_motor *m)
{
    const double measured = joint_position(m->joint, m->axis);
    return m->zero ? measured + m->zero : measured;
}

static bool hold_position(const lane *l, lane_motor *m)
{
    double error = m->values[TARGET] - position_of(m), *integral = &m->memory[0];
    if (m->wraps) error = remainder(error, 2 * M_PI);
    if (m->growth) {
        const double most = m->values[WINDUP_LIMIT], sum = *integral + m->growth * error;
        *integral = sum > most ? most : sum < -most ? -most : sum;
    }
    const double speed = (m->values[KP] * error + *integral + 0.0) / m->damping;
    if (m->speed < UNLIMITED_SPEED)
        reach(l, m, speed);
    else
        aim(l, m, speed);
    return true;
}

static bool keep_speed(const lane *l, lane_motor *m)
{
    double *kept = &m->memory[0];
    const double most = m->values[ACCELERATION] * l->step, change = m->values[SPEED] - *kept;
    *kept = fabs(change) <= most ? m->values[SPEED] : *kept + (change > 0 ? most : -most);
    aim(l, m, *kept);
    return *kept != m->values[SPEED];
}

/* Its torque falls with the speed by itself. */
static void apply_voltage(const lane *l, const lane_motor *m)
{
    const double most = m->values[MOST_VOLTAGE], wanted = m->values[VOLTAGE];
    const double voltage = wanted > most ? most : wanted < -most ? -most : wanted;
    aim(l, m, m->values[TORQUE_PER_CURRENT] * voltage / m->values[RESISTANCE] / m->values[DAMPING]);
}

/* A kick that comes before it is recharged is lost. */
static bool may_kick(const lane *l, lane_motor *m, double value)
{
    const bool may = m->memory[PHASE] == READY && (double)l->frame >= m->memory[SHOT_AT] + m->values[RECHARGE] && value > 0;
    if (may) m->memory[PHASE] = SHOOTING, m->memory[SHOT_AT] = (double)l->frame;
    return may;
}

static bool shoot_and_return(const lane *l, lane_motor *m)
{
    if (m->memory[PHASE] == READY) return false;
    const double position = position_of(m);
    const bool late = (double)l->frame > m->memory[SHOT_AT] + m->values[PATIENCE];
    if (m->memory[PHASE] == SHOOTING && (position >= m->values[STROKE] || late)) {
        m->memory[PHASE] = RETURNING;
        aim(l, m, -m->values[RETURN_SPEED]);
    } else if (m->memory[PHASE] == RETURNING && position <= m->values[NEAR]) {
        m->memory[PHASE] = READY;
        aim(l, m, 0.0);
    }
    return m->memory[PHASE] != READY;
}

/* A command is executed. */
static void take(const lane *l, lane_motor *m, int parameter, double value)
{
    if (m->kind == LANE_KICK && !may_kick(l, m, value)) return;
    m->values[parameter] = value;
    m->changed = m->was_set = true;
    if (m->kind == LANE_VEHICLE) lane_take_course(m, parameter, value);
    if (m->kind == LANE_DIFFERENTIAL) lane_turn_two_wheels(m, parameter);
}

/* What is set up once after a change. */
static int engage(const lane *l, lane_client *c, lane_motor *m)
{
    switch (m->kind) {
    case LANE_TWIST: return lane_twist(l, c, m);
    case LANE_VEHICLE: lane_engage_wheels(l, m); return 0;
    case LANE_DIFFERENTIAL:
    case LANE_HOLONOMIC:
    case LANE_SPATIAL: return 0;
    default: lane_engage(l, m->joint, m->fmax, m->cfm, m->force, m->damping);
    }
    if (m->kind == LANE_DC) apply_voltage(l, m);
    if (m->kind == LANE_KICK) aim(l, m, m->memory[PHASE] == SHOOTING ? m->values[KICK] * m->values[PLATE_SPEED] : 0.0);
    return 0;
}

/* The work of one frame, and whether there is more. */
static int follow_law(lane *l, lane_motor *m, bool *more)
{
    switch (m->kind) {
    case LANE_SERVO: *more = hold_position(l, m); break;
    case LANE_VELOCITY: *more = keep_speed(l, m); break;
    case LANE_KICK: *more = shoot_and_return(l, m); break;
    case LANE_VEHICLE: lane_steer(l, m), *more = true; break;
    case LANE_DIFFERENTIAL:
    case LANE_HOLONOMIC:
    case LANE_SPATIAL: return lane_move(l, m, more);
    default: *more = false;
    }
    return 0;
}

static int drive(lane *l, lane_client *c, lane_motor *m)
{
    lane_queue *q = &m->delay;
    for (; q->count && q->items[q->first].frame <= l->frame; q->first++, q->count--)
        take(l, m, q->items[q->first].target, q->items[q->first].value);
    if (m->changed) {
        prepare(l, m);
        const int reason = engage(l, c, m);
        if (reason) return reason;
        m->changed = false;
    }
    bool more;
    const int reason = follow_law(l, m, &more);
    m->busy = reason || more || q->count;
    return reason;
}

/* Those that command others come first. Of one that fails, Python finds out why: the frame is not over for this client. */
int lane_drive(lane *l, lane_client *c)
{
    bool driven = false;
    for (int leading = 1; leading >= 0; leading--)
        for (int i = 0; i < c->motor_count; i++) {
            lane_motor *m = &c->motors[i];
            if (!m->busy || (m->kind == LANE_TWIST) != leading) continue;
            const int reason = drive(l, c, m);
            if (reason) return reason;
            driven = true;
        }
    if (driven) c->driven = l->frame;
    return 0;
}
