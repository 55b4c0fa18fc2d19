/* The native lane: sensors that are arithmetic on the kernel's state. The devices in components/sensors/ are the specification, and
   every sum here is in their order. */
#include <math.h>
#include <string.h>

#include "lane.h"

enum { TRUE_VALUES = 13 }; /* of a body: place, quaternion, velocity, rate */

/* A vector of the outer frame, seen from the inner one. */
void lane_turn_back(const double *r, const double *v, double *seen)
{
    for (int i = 0; i < 3; i++) seen[i] = r[i] * v[0] + r[3 + i] * v[1] + r[6 + i] * v[2];
}

static void cross(const double *a, const double *b, double *product)
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static void see(const kernel *k, const lane_sensor *s, const double *vector, double *seen)
{
    double half[3];
    lane_turn_back(k->rotations + 9 * s->body->row, vector, half);
    lane_turn_back(s->numbers, half, seen);
}

static double tilt(const kernel *k, const lane_sensor *s)
{
    const double *row = k->rotations + 9 * s->body->row + 6, *n = s->numbers;
    return atan2(row[0] * n[0] + row[1] * n[1] + row[2] * n[2], row[0] * n[3] + row[1] * n[4] + row[2] * n[5]);
}

static double heading(const kernel *k, const lane_sensor *s)
{
    const double *r = k->rotations + 9 * s->body->row, *n = s->numbers;
    return atan2(-(r[0] * n[0] + r[1] * n[1] + r[2] * n[2]), r[3] * n[0] + r[4] * n[1] + r[5] * n[2]);
}

static void rate(const kernel *k, const lane_sensor *s, double *values)
{
    see(k, s, k->angular + 3 * s->body->row, values);
}

static void specific_force(kernel *k, const lane_sensor *s, double step, double *values)
{
    const int row = s->body->row;
    const double *turning = k->angular + 3 * row, *speed = k->linear + 3 * row, *r = k->rotations + 9 * row;
    const double *before = s->body->before, *place = s->numbers + 9, *gravity = s->numbers + 12;
    double arm[3], acceleration[3], felt[3], spin[3], carried[3], tangential[3], inner[3], centripetal[3], sum[3];
    for (int i = 0; i < 3; i++) {
        arm[i] = r[3 * i] * place[0] + r[3 * i + 1] * place[1] + r[3 * i + 2] * place[2];
        acceleration[i] = (speed[i] - before[i]) / step;
        felt[i] = acceleration[i] - gravity[i];
        spin[i] = (turning[i] - before[3 + i]) / step;
    }
    cross(turning, body_supported(k, s->body) ? acceleration : felt, carried);
    cross(spin, arm, tangential);
    cross(turning, arm, inner);
    cross(turning, inner, centripetal);
    for (int i = 0; i < 3; i++) sum[i] = felt[i] + s->body->age * step * carried[i] + tangential[i] + centripetal[i];
    see(k, s, sum, values);
}

static void orientation(const kernel *k, const lane_sensor *s, double *w)
{
    const double *p = k->quaternions + 4 * s->body->row, *q = s->numbers + 15;
    w[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    w[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    w[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    w[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

static double position(const lane_sensor *s, int axis)
{
    if (!s->numbers[1]) return NAN;
    const double measured = joint_position(s->joint, axis);
    return axis == 0 && s->numbers[0] ? measured + s->numbers[0] : measured;
}

/* From true values to those that are reported. */
void lane_err(const lane *l, const lane_error *e, double *values, int count)
{
    if (e->bias)
        for (int i = 0; i < count; i++) values[i] += e->bias[i];
    if (e->noise)
        for (int i = 0; i < count; i++) values[i] += e->noise * l->standard_normal(e->random);
    if (e->resolution)
        for (int i = 0; i < count; i++) values[i] = e->resolution * rint(values[i] / e->resolution);
}

/* Distances are looked at where the rays have left them. */
static double *ranges(lane *l, const lane_sensor *s, double *one)
{
    double *d = s->distances;
    if (s->kind == LANE_SCAN) {
        lane_err(l, &s->errors[0], d, s->ray_count);
        for (int i = 0; i < s->ray_count; i++)
            if (!(d[i] > s->numbers[0])) d[i] = s->numbers[0];
        return d;
    }
    *one = d[0];
    for (int i = 1; i < s->ray_count; i++)
        if (d[i] < *one) *one = d[i];
    lane_err(l, &s->errors[0], one, 1);
    if (!(*one > s->numbers[0])) *one = s->numbers[0];
    return one;
}

/* Errors are those of the places, drawn for who is not there, too. */
static const double *truth(const lane *l, const lane_sensor *s)
{
    const kernel *k = l->k;
    for (int i = 0; i < s->body_count; i++) {
        double *to = s->memory + TRUE_VALUES * i;
        const body *b = s->bodies[i];
        for (int n = 0; n < TRUE_VALUES && !b; n++) to[n] = NAN;
        if (b) {
            memcpy(to, k->positions + 3 * b->row, 3 * sizeof *to);
            memcpy(to + 3, k->quaternions + 4 * b->row, 4 * sizeof *to);
            memcpy(to + 7, k->linear + 3 * b->row, 3 * sizeof *to);
            memcpy(to + 10, k->angular + 3 * b->row, 3 * sizeof *to);
        }
        lane_err(l, &s->errors[0], to, 3);
    }
    return s->memory;
}

/* The reading now; `room` is for the values of those that have few. */
static const double *measure(lane *l, const lane_sensor *s, double *room)
{
    kernel *k = l->k;
    switch (s->kind) {
    case LANE_TILT: room[0] = tilt(k, s); break;
    case LANE_HEADING: room[0] = heading(k, s); break;
    case LANE_RATE: rate(k, s, room); break;
    case LANE_FORCE: specific_force(k, s, l->step, room); break;
    case LANE_IMU:
        orientation(k, s, room);
        rate(k, s, room + 4);
        specific_force(k, s, l->step, room + 7);
        lane_err(l, &s->errors[0], room + 4, 3);
        lane_err(l, &s->errors[1], room + 7, 3);
        return room;
    case LANE_AXIS:
        room[0] = position(s, s->axis), room[1] = joint_rate(s->joint, s->axis), room[2] = joint_effort(s->joint, s->axis);
        lane_err(l, &s->errors[0], room, 1); /* the others have none here */
        return room;
    case LANE_REPORT:
        for (int axis = 0; axis < s->axis; axis++)
            room[2 * axis] = position(s, axis), room[2 * axis + 1] = joint_rate(s->joint, axis);
        return room;
    case LANE_WAY:
    case LANE_PATH: lane_find_way(l, s, room); return room; /* the errors are in its encoders */
    case LANE_TOUCH: lane_feel(l, s, room); return room;    /* those of the force are in it */
    case LANE_TRUTH: return truth(l, s);
    case LANE_BUMP: room[0] = lane_bump(k, s); return room;
    default: return ranges(l, s, room);
    }
    lane_err(l, &s->errors[0], room, s->values);
    if (s->kind == LANE_HEADING) room[0] = remainder(room[0], 2 * M_PI); /* an error may have taken it across the seam */
    return room;
}

void lane_know_sensors(lane *l)
{
    l->foresees = false;
    for (int i = 0; i < l->client_count; i++)
        for (int n = 0; n < l->clients[i].sensor_count; n++) {
            const lane_sensor *s = &l->clients[i].sensors[n];
            l->foresees = l->foresees || s->ray_count || s->kind == LANE_TOUCH;
        }
}

/* Nothing is sampled before all rays are cast and all who touch are known, so that if they cannot be, the frame has not begun. */
int lane_foresee(lane *l)
{
    if (!l->foresees) return 0;
    for (int i = 0; i < l->client_count; i++)
        for (int n = 0; n < l->clients[i].sensor_count; n++) {
            lane_sensor *s = &l->clients[i].sensors[n];
            if (l->frame < s->next_sample) continue;
            if (s->kind == LANE_TOUCH && !lane_knows_partners(l->k, s)) return LANE_SENSING;
            if (!s->ray_count) continue;
            if (kernel_cast_bundle(l->k, s->body, s->ray_count, s->place, s->fixed, s->ranges, s->ignored, s->ignored_owner, s->origins,
                                   s->directions, s->distances, s->ids, s->normals) != KERNEL_FINE)
                return LANE_SENSING;
        }
    return 0;
}

/* timing/periodic.py */
static int64_t next_due(const lane *l, int64_t frame, double frequency)
{
    if (!frequency || frequency * l->step >= 1.0) return frame;
    double multiple = floor((double)(frame - 1) * l->step * frequency);
    int64_t due;
    while ((due = lane_round_up(multiple / frequency / l->step, 1e-15)) < frame) multiple += 1;
    return due;
}

static void encode(const lane_sensor *s, const double *values, char *bytes)
{
    if (s->size == 1) {
        *bytes = (char)values[0];
        return;
    }
    if (s->kind == LANE_TRUTH) {
        memcpy(bytes, values, (size_t)s->size);
        return;
    }
    for (int i = 0; i < s->values; i++) {
        const float value = (float)values[i];
        memcpy(bytes + sizeof value * (size_t)i, &value, sizeof value);
    }
}

static bool sample(lane *l, lane_sensor *s)
{
    double room[16];
    const double *values = measure(l, s, room);
    int64_t arrival = l->frame + s->minimum;
    if (s->keeps_order && arrival < s->latest_arrival) arrival = s->latest_arrival;
    if (!lane_append_reading(s, arrival, l->frame, NULL)) return false;
    encode(s, values, s->bytes + (size_t)s->size * (size_t)(s->first + s->count - 1));
    s->latest_arrival = arrival;
    s->pushed++;
    s->next_sample = next_due(l, l->frame + 1, s->frequency);
    return true;
}

/* Keeps a payload that is delivered in this frame. */
static bool tell(lane *l, lane_client *c, int sensor, int64_t captured, const char *reading)
{
    const lane_sensor *s = &c->sensors[sensor];
    const int size = (s->stamped ? 8 : 0) + s->size;
    if (c->told_count >= c->told_capacity) {
        int capacity = c->told_capacity;
        if (!lane_grow((void **)&c->told_captured, &capacity, c->told_count + 1, sizeof(int64_t))) return false;
        if (!lane_grow((void **)&c->told, &c->told_capacity, c->told_count + 1, sizeof(int))) return false;
    }
    if (!lane_grow((void **)&c->told_bytes, &c->told_bytes_capacity, c->told_length + size, 1)) return false;
    char *to = c->told_bytes + c->told_length;
    if (s->stamped) {
        const double time = (double)captured * l->step;
        memcpy(to, &time, 8);
        to += 8;
    }
    memcpy(to, reading, (size_t)s->size);
    c->told[c->told_count] = sensor, c->told_captured[c->told_count++] = captured;
    c->told_length += size;
    return true;
}

static int64_t next_of(const lane_sensor *s)
{
    return s->count && s->readings[s->first].frame < s->next_sample ? s->readings[s->first].frame : s->next_sample;
}

int lane_sense(lane *l, lane_client *c)
{
    if (l->frame < c->next_sense) {
        if (c->sensed < l->frame) c->told_count = c->told_length = 0;
        return 0;
    }
    c->told_count = c->told_length = 0;
    c->next_sense = INT64_MAX;
    for (int i = 0; i < c->sensor_count; i++) {
        lane_sensor *s = &c->sensors[i];
        if (l->frame >= s->next_sample && !sample(l, s)) return LANE_FULL;
        while (s->count && s->readings[s->first].frame <= l->frame) {
            const char *reading = s->bytes + (size_t)s->size * (size_t)s->first;
            s->latest_frame = s->readings[s->first].captured;
            memcpy(s->newest, reading, (size_t)s->size);
            if (!tell(l, c, i, s->latest_frame, reading)) return LANE_FULL;
            s->first++;
            s->count--;
        }
        if (next_of(s) < c->next_sense) c->next_sense = next_of(s);
    }
    c->sensed = l->frame;
    return 0;
}
