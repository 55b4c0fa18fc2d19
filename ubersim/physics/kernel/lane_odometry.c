/* The native lane: dead reckoning, from the turns of wheels or from how a body goes. components/sensors/odometry.py and wheel_counting.py are the specification. */
#include <math.h>
#include <string.h>

#include "lane.h"

enum { MOST_WHEELS = 16 };

/* Apart from each other: a compiler that sees both makes one function of them, whose last bit may be another one. */
__attribute__((noipa)) double lane_sine(double angle) { return sin(angle); }
__attribute__((noipa)) double lane_cosine(double angle) { return cos(angle); }

/* How far a wheel has turned by now: of all angles that look alike, the one that the rates speak for. */
static double count_wheel(joint *j, int axis, double sense, double zero, double seconds, double *turned, double *last_rate)
{
    const double measured = joint_position(j, axis), angle = sense * (axis == 0 && zero ? measured + zero : measured);
    const double rate = sense * joint_rate(j, axis), expected = *turned + (*last_rate + rate) / 2 * seconds;
    *turned = expected + remainder(angle - expected, 2 * M_PI);
    *last_rate = rate;
    return *turned;
}

/* How far the sensor itself has gone: to its right, forward, and turning to the left. */
static void count_body(const kernel *k, const lane_sensor *s, double *last, double *sum, double *now)
{
    double position[3], rotation[9];
    lane_see_frame(k, s, position, rotation);
    const double heading = atan2(-rotation[1], rotation[4]), turn = remainder(heading - last[2], 2 * M_PI);
    const double middle = last[2] + turn / 2, half = turn / 2, stretch = half ? half / lane_sine(half) : 1;
    const double east = stretch * (position[0] - last[0]), north = stretch * (position[1] - last[1]);
    sum[0] += east * lane_cosine(middle) + north * lane_sine(middle);
    sum[1] += north * lane_cosine(middle) - east * lane_sine(middle);
    sum[2] += turn;
    last[0] = position[0], last[1] = position[1], last[2] = heading;
    memcpy(now, sum, 3 * sizeof *now);
}

/* To the right, forward and turning to the left, for what the numbers have grown by. */
static void find_motion(const lane_sensor *s, const double *grown, double *way)
{
    const int count = s->joint_count;
    if (s->kind == LANE_PATH) {
        memcpy(way, grown, 3 * sizeof *way);
        return;
    }
    const double radius = s->numbers[0], track = s->numbers[1], *solution = s->constants + 2 * count;
    if (track) {
        const double left = radius * grown[0], right = radius * grown[1];
        way[0] = 0, way[1] = (left + right) / 2, way[2] = (right - left) / track;
        return;
    }
    for (int i = 0; i < 3; i++) {
        way[i] = 0;
        for (int n = 0; n < count; n++) way[i] += solution[i * count + n] * grown[n];
    }
}

/* Along an arc. */
static void go(double *pose, const double *way)
{
    const double turn = way[2], shorter = turn ? lane_sine(turn / 2) / (turn / 2) : 1;
    const double across = way[0] * shorter, along = way[1] * shorter, middle = pose[2] + turn / 2;
    pose[0] += across * lane_cosine(middle) - along * lane_sine(middle);
    pose[1] += across * lane_sine(middle) + along * lane_cosine(middle);
    pose[2] += turn;
}

void lane_find_way(lane *l, const lane_sensor *s, double *reported)
{
    const int count = s->kind == LANE_PATH ? 3 : s->joint_count;
    double *pose = s->memory + 1, *twist = s->memory + 4, *encoders = s->memory + 7, *counted = encoders + count;
    const double seconds = ((double)l->frame - s->memory[0]) * l->step;
    double now[MOST_WHEELS], grown[MOST_WHEELS], way[3];
    s->memory[0] = (double)l->frame;
    if (s->kind == LANE_PATH) count_body(l->k, s, counted, counted + 3, now);
    for (int i = 0; i < s->joint_count; i++)
        now[i] = count_wheel(s->joints[i], s->axis, s->constants[i], s->constants[count + i], seconds, counted + 2 * i, counted + 2 * i + 1);
    lane_err(l, &s->errors[0], now, count);
    for (int i = 0; i < count; i++) grown[i] = now[i] - encoders[i], encoders[i] = now[i];
    find_motion(s, grown, way);
    for (int i = 0; i < 3 && seconds; i++) twist[i] = way[i] / seconds;
    go(pose, way);
    memcpy(reported, pose, (size_t)s->values * sizeof *reported); /* the twist follows it */
}
