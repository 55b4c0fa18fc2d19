/* The native lane: robots that move as they are told. components/drives/ is the specification; its complex numbers are written out here, for the
   same bits. */
#include <math.h>
#include <string.h>

#include "lane.h"

static const double INSTANT = 1e9; /* an acceleration that is no bound */

enum { DIFFERENTIAL_SIDEWAYS, DIFFERENTIAL_SPEED, DIFFERENTIAL_TURN, LEFT, RIGHT, DIFFERENTIAL_ACCELERATION, DIFFERENTIAL_SWIFTNESS, RADIUS, DISTANCE };
enum { ACROSS, ALONG, TURN, ACCELERATION, TURN_ACCELERATION };  /* of a holonomic drive */
enum { SPATIAL_ACCELERATION = 6, SPATIAL_TURN_ACCELERATION };   /* of one in space, after six speeds and rates */
enum { MOST_AXES = 6 };

typedef struct {
    double re, im;
} point;

static point times(point a, point b)
{
    return (point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static point scaled(double factor, point p) { return times((point){factor, 0}, p); }

/* Of this length, in this direction. */
static point rect(double length, double angle)
{
    if (angle == 0) return (point){length, length * angle};
    return (point){length * lane_cosine(angle), length * lane_sine(angle)};
}

/* Both ways of telling it are kept the same. */
void lane_turn_two_wheels(lane_motor *m, int parameter)
{
    double *v = m->values;
    if (parameter == LEFT || parameter == RIGHT) {
        v[DIFFERENTIAL_SPEED] = v[RADIUS] * (v[LEFT] + v[RIGHT]) / 2;
        v[DIFFERENTIAL_TURN] = v[RADIUS] * (v[RIGHT] - v[LEFT]) / v[DISTANCE];
    } else {
        const double difference = v[DIFFERENTIAL_TURN] * v[DISTANCE] / 2;
        v[LEFT] = (v[DIFFERENTIAL_SPEED] - difference) / v[RADIUS];
        v[RIGHT] = (v[DIFFERENTIAL_SPEED] + difference) / v[RADIUS];
    }
}

/* From one velocity towards another, straight: the one at the end of a step, and the mean during the step. */
static double approach(double now, double goal, double acceleration, double step, double *mean)
{
    const double gap = fabs(goal - now), most = acceleration * step;
    if (acceleration >= INSTANT || gap == 0) return *mean = goal;
    if (gap <= most) {
        *mean = goal + (now - goal) * (0.5 * gap / most);
        return goal;
    }
    const double change = (goal - now) * (most / gap);
    *mean = now + 0.5 * change;
    return now + change;
}

static point approach_in_plane(point now, point goal, double acceleration, double step, point *mean)
{
    const point way = {goal.re - now.re, goal.im - now.im};
    const double gap = hypot(way.re, way.im), most = acceleration * step;
    if (acceleration >= INSTANT || gap == 0) return *mean = goal;
    if (gap <= most) {
        const point rest = times((point){now.re - goal.re, now.im - goal.im}, (point){0.5 * gap / most, 0});
        *mean = (point){goal.re + rest.re, goal.im + rest.im};
        return goal;
    }
    const point change = times(way, (point){most / gap, 0}), half = scaled(0.5, change);
    *mean = (point){now.re + half.re, now.im + half.im};
    return (point){now.re + change.re, now.im + change.im};
}

/* The velocity at the end of this frame's step, and its mean during the step; how many numbers they have. */
static int advance(const lane *l, const lane_motor *m, double *end, double *mean)
{
    const double *v = m->values, *now = m->memory;
    switch (m->kind) {
    case LANE_DIFFERENTIAL:
        end[0] = mean[0] = 0;
        end[1] = approach(now[1], v[DIFFERENTIAL_SPEED], v[DIFFERENTIAL_ACCELERATION], l->step, &mean[1]);
        end[2] = approach(now[2], v[DIFFERENTIAL_TURN], v[DIFFERENTIAL_SWIFTNESS], l->step, &mean[2]);
        return 3;
    case LANE_HOLONOMIC: {
        point middle;
        const point last = approach_in_plane((point){now[0], now[1]}, (point){v[ACROSS], v[ALONG]}, v[ACCELERATION], l->step, &middle);
        end[0] = last.re, end[1] = last.im, mean[0] = middle.re, mean[1] = middle.im;
        end[2] = approach(now[2], v[TURN], v[TURN_ACCELERATION], l->step, &mean[2]);
        return 3;
    }
    default:
        for (int i = 0; i < MOST_AXES; i++)
            end[i] = approach(now[i], v[i], v[i < 3 ? SPATIAL_ACCELERATION : SPATIAL_TURN_ACCELERATION], l->step, &mean[i]);
        return MOST_AXES;
    }
}

static void turn(const double *r, const double *v, double *turned)
{
    for (int i = 0; i < 3; i++) turned[i] = r[3 * i] * v[0] + r[3 * i + 1] * v[1] + r[3 * i + 2] * v[2];
}

static void find_center(const kernel *k, const lane_motor *m, double *place)
{
    const int row = m->bodies[0]->row;
    double away[3];
    turn(k->rotations + 9 * row, m->center, away);
    for (int i = 0; i < 3; i++) place[i] = k->positions[3 * row + i] + away[i];
}

/* A chord is shorter than its arc, and halfway between its ends' directions. */
static int roll(const lane *l, const lane_motor *m, double right, double forward, double turn)
{
    const double *r = l->k->rotations + 9 * m->bodies[0]->row;
    double place[3];
    find_center(l->k, m, place);
    const double heading = atan2(-r[1], r[4]), half = 0.5 * turn * l->step, chord = half ? lane_sine(half) / half : 1;
    const point velocity = times(rect(chord, heading + half), (point){right, forward}), swing = rect(chord * turn, half + 0.5 * M_PI);
    const planar_motion motion = {place[0], place[1], velocity.re, velocity.im, swing.re, swing.im, turn};
    return kernel_move_piece(l->k, m->body_count, m->bodies, &motion);
}

static int fly(const lane *l, const lane_motor *m, const double *parts)
{
    const double *r = l->k->rotations + 9 * m->bodies[0]->row;
    spatial_motion motion;
    find_center(l->k, m, motion.point);
    turn(r, parts, motion.velocity);
    turn(r, parts + 3, motion.rate);
    return kernel_move_freely(l->k, m->body_count, m->bodies, &motion);
}

static int start(const lane *l, const lane_motor *m, const double *mean, double share)
{
    double parts[MOST_AXES] = {0};
    for (int i = 0; i < (m->kind == LANE_SPATIAL ? MOST_AXES : 3); i++) parts[i] = share * mean[i];
    return m->kind == LANE_SPATIAL ? fly(l, m, parts) : roll(l, m, parts[0], parts[1], parts[2]);
}

/* As far as it goes. If it cannot, it is as it was before, and Python finds out why. */
int lane_move(lane *l, lane_motor *m, bool *goes_on)
{
    double end[MOST_AXES], mean[MOST_AXES], share = 1;
    const int count = advance(l, m, end, mean);
    if (start(l, m, mean, 1) != KERNEL_FINE || kernel_free_share(l->k, m->body_count, m->bodies, &share) != KERNEL_FINE) return LANE_STEP;
    const bool blocked = share < 1;
    if (blocked && start(l, m, mean, share) != KERNEL_FINE) return LANE_STEP;
    double *now = m->memory, *moved = now + count;
    *goes_on = false;
    for (int i = 0; i < count; i++) {
        now[i] = blocked ? share * end[i] : end[i]; /* it has to gather speed anew */
        moved[i] = blocked ? share * mean[i] : mean[i];
        *goes_on = *goes_on || mean[i] || now[i];
    }
    moved[count] = blocked;
    return 0;
}
