/* The native lane: what clients say, and when it is executed; as protocol/server_lane.py and timing/lockstep.py have it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"

static const char ACK_HEAD[] = "\x0c\0\0\0Ack";
static const char STAMP_HEAD[] = "\x12\0\0\0Timestamp";

/* Targets by the bytes that a message about them begins with: open addressing, a power of two, at most half full. */
typedef struct {
    int size;
    struct {
        char *head;
        int length, target;
    } places[];
} lookup_table;

static uint32_t hash_of(const char *bytes, int length)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < length; i++) hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static lookup_table *new_table(int targets)
{
    int size = 8;
    while (size < 2 * targets) size *= 2;
    lookup_table *t = calloc(1, sizeof *t + (size_t)size * sizeof *t->places);
    if (t) t->size = size;
    return t;
}

void lane_free_lookup(void *lookup)
{
    lookup_table *t = lookup;
    if (!t) return;
    for (int i = 0; i < t->size; i++) free(t->places[i].head);
    free(t);
}

int lane_name_target(lane_client *c, int target, const char *head, int length)
{
    if (!c->lookup) c->lookup = new_table(c->target_count);
    lookup_table *t = c->lookup;
    char *copy = malloc((size_t)length);
    if (!t || !copy) {
        free(copy);
        return 0;
    }
    memcpy(copy, head, (size_t)length);
    int place = (int)(hash_of(head, length) & (uint32_t)(t->size - 1));
    while (t->places[place].head) place = (place + 1) & (t->size - 1);
    t->places[place].head = copy, t->places[place].length = length, t->places[place].target = target;
    return 1;
}

int lane_find_target(const lane_client *c, const char *head, int length)
{
    const lookup_table *t = c->lookup;
    if (!t) return -1;
    int place = (int)(hash_of(head, length) & (uint32_t)(t->size - 1));
    for (; t->places[place].head; place = (place + 1) & (t->size - 1))
        if (t->places[place].length == length && !memcmp(t->places[place].head, head, (size_t)length)) return t->places[place].target;
    return -1;
}

int64_t lane_allowed(const lane_client *c)
{
    return c->lookahead ? c->acked + c->minimum : c->acked;
}

/* The frame whose time this is, exactly; -1: none. */
static int64_t frame_of(const lane *l, double time)
{
    const double frames = rint(time / l->step);
    if (!(frames >= 0 && frames < 9e15) || frames * l->step != time) return -1;
    return (int64_t)frames;
}

static bool enter(lane_client *c, int64_t stamp, int32_t target, double value)
{
    int64_t frame = stamp + c->minimum;
    if (c->keeps_order && frame < c->latest) frame = c->latest;
    if (c->entered_count >= c->entered_capacity) {
        int capacity = c->entered_capacity ? 2 * c->entered_capacity : 256;
        int64_t *moved = realloc(c->entered, (size_t)capacity * sizeof *moved);
        if (!moved) return false;
        c->entered = moved, c->entered_capacity = capacity;
    }
    if (!lane_append(&c->queue, frame, stamp, target, value)) return false;
    c->latest = frame;
    c->entered[c->entered_count++] = frame;
    c->pushed++;
    c->room--;
    return true;
}

/* By stamp, and of equal ones by arrival: mostly at the end. */
static bool hold(lane_client *c, int64_t stamp, int32_t target, double value)
{
    if (!lane_append(&c->held, stamp, c->received, target, value)) return false;
    c->received++;
    lane_command *items = c->held.items + c->held.first;
    for (int i = c->held.count - 1; i > 0 && items[i - 1].frame > items[i].frame; i--) {
        const lane_command later = items[i - 1];
        items[i - 1] = items[i], items[i] = later;
    }
    return true;
}

static bool take_command(lane_client *c, int32_t target, double value)
{
    const int64_t first = c->acked + 1, stamp = c->stamp > first ? c->stamp : first;
    if (stamp == first) return enter(c, stamp, target, value);
    return c->held.count < LANE_MOST_HELD && hold(c, stamp, target, value);
}

/* Everything up to this frame is answered. */
static bool answered(lane_client *c, int64_t frame)
{
    if (frame <= c->acked) return true;
    if (c->held.count && c->room < c->held.count) return false;
    c->acked = frame;
    while (c->held.count && c->held.items[c->held.first].frame <= frame + 1) {
        const lane_command held = c->held.items[c->held.first++];
        c->held.count--;
        if (!enter(c, held.frame, held.target, held.value)) return false;
    }
    return true;
}

/* Frames that were not sent need no answer. */
int lane_catch_up(lane_client *c)
{
    return answered(c, c->open_count ? c->open[c->open_first] - 1 : c->sent) ? 0 : LANE_MESSAGE;
}

static bool take_ack(const lane *l, lane_client *c, double time)
{
    const int64_t frame = frame_of(l, time);
    if (frame < 0 || frame > (c->silence ? c->told_frame : c->sent) || !answered(c, frame)) return false;
    for (; c->open_count && c->open[c->open_first] <= frame; c->open_count--) c->open_first++;
    return true;
}

/* Whether a message other than an ack answers a frame that was sent; before there is one, Python keeps it. */
static bool in_time(lane_client *c)
{
    return !c->silence || (c->open_count && lane_catch_up(c) == 0);
}

static bool take_stamp(const lane *l, lane_client *c, double time)
{
    const int64_t frame = frame_of(l, time), first = c->acked + 1;
    if (frame < first || frame > first + LANE_MOST_AHEAD) return false;
    c->stamp = frame;
    return true;
}

/* One message of this length; false if it is not plain. */
static bool take(const lane *l, lane_client *c, const char *message, int length)
{
    double time;
    if (length == 12 && !memcmp(message, ACK_HEAD, sizeof ACK_HEAD)) {
        memcpy(&time, message + sizeof ACK_HEAD, sizeof time);
        return take_ack(l, c, time);
    }
    if (!in_time(c)) return false;
    const int target = lane_find_target(c, message, length); /* the head is all but the value's last four bytes */
    if (target >= 0) {
        float value;
        memcpy(&value, message + length, sizeof value);
        const lane_target *t = &c->targets[target];
        return c->room > 0 && value >= t->low && value <= t->high && isfinite(value) && take_command(c, target, value);
    }
    if (length == 18 && !memcmp(message, STAMP_HEAD, sizeof STAMP_HEAD)) {
        memcpy(&time, message + sizeof STAMP_HEAD, sizeof time);
        return take_stamp(l, c, time);
    }
    return false;
}

int lane_understand(lane *l, lane_client *c)
{
    while (c->incoming_end - c->incoming_start >= 4) {
        const char *message = c->incoming + c->incoming_start;
        uint32_t length;
        memcpy(&length, message, sizeof length);
        if (length > LANE_LONGEST_MESSAGE) return LANE_MESSAGE;
        if (c->incoming_end - c->incoming_start - 4 < (int)length) break;
        if (!take(l, c, message, (int)length)) return LANE_MESSAGE;
        c->incoming_start += 4 + (int)length;
    }
    if (c->incoming_start == c->incoming_end) c->incoming_start = c->incoming_end = 0;
    return c->silence ? lane_catch_up(c) : 0;
}

/* Commands whose time has come. One that fails stays where it is, for Python to find. */
int lane_execute(lane *l, lane_client *c)
{
    while (c->queue.count && c->queue.items[c->queue.first].frame <= l->frame) {
        const lane_command *command = &c->queue.items[c->queue.first];
        const lane_target *t = &c->targets[command->target];
        if (!t->joint) {
            if (!lane_set_motor(&c->motors[t->motor], l->frame, t->parameter, command->value)) return LANE_FULL;
        } else if (joint_set(l->k, t->joint, t->parameter, t->zero ? command->value - t->zero : command->value) != KERNEL_FINE)
            return LANE_STEP;
        c->queue.first++;
        c->queue.count--;
    }
    return 0;
}
