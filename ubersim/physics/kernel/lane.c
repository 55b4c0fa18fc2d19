/* The native lane: its life, and its frame. The server's own loop, server/server.py, is the specification. */
#include "lane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lane *lane_create(kernel *k, double step, double (*standard_normal)(void *random))
{
    lane *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->k = k, l->step = step, l->standard_normal = standard_normal;
    l->waiting.looking = 1;
    return l;
}

static void free_client(lane_client *c)
{
    for (int i = 0; i < c->sensor_count; i++) free(c->sensors[i].readings), free(c->sensors[i].bytes), free(c->sensors[i].newest);
    for (int i = 0; i < c->motor_count; i++) free(c->motors[i].delay.items);
    free(c->queue.items), free(c->held.items), free(c->entered), free(c->incoming), free(c->outgoing);
    free(c->targets), free(c->sensors), free(c->motors), free(c->open);
    free(c->told), free(c->told_captured), free(c->told_bytes);
    lane_free_lookup(c->lookup);
}

static void free_clients(lane *l)
{
    for (int i = 0; i < l->client_count; i++) free_client(&l->clients[i]);
    free(l->clients);
    l->clients = NULL, l->client_count = 0;
}

void lane_destroy(lane *l)
{
    free_clients(l);
    free(l->state);
    free(l);
}

lane_client *lane_clients(lane *l, int count)
{
    free_clients(l);
    memset(&l->waiting, 0, sizeof l->waiting);
    l->waiting.looking = 1;
    l->clients = calloc((size_t)count + 1, sizeof *l->clients);
    if (!l->clients) return NULL;
    l->client_count = count;
    for (int i = 0; i < count; i++)
        if (!(l->clients[i].incoming = malloc(LANE_BUFFER))) return NULL;
    return l->clients;
}

int lane_equip(lane_client *c, int targets, int sensors, int motors)
{
    c->targets = calloc((size_t)targets + 1, sizeof *c->targets);
    c->sensors = calloc((size_t)sensors + 1, sizeof *c->sensors);
    c->motors = calloc((size_t)motors + 1, sizeof *c->motors);
    if (!c->targets || !c->sensors || !c->motors) return 0;
    c->target_count = targets, c->sensor_count = sensors, c->motor_count = motors;
    return 1;
}

bool lane_grow(void **memory, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) return true;
    const int wanted = needed < 16 ? 16 : needed + needed / 2;
    void *moved = realloc(*memory, (size_t)wanted * size);
    if (!moved) return false;
    *memory = moved, *capacity = wanted;
    return true;
}

int lane_append(lane_queue *q, int64_t frame, int64_t sent, int32_t target, double value)
{
    if (q->first && q->first + q->count >= q->capacity) {
        memmove(q->items, q->items + q->first, (size_t)q->count * sizeof *q->items);
        q->first = 0;
    }
    if (!lane_grow((void **)&q->items, &q->capacity, q->count + 1, sizeof *q->items)) return 0;
    q->items[q->first + q->count++] = (lane_command){frame, sent, value, target};
    return 1;
}

int lane_append_open(lane_client *c, int64_t frame)
{
    if (c->open_first && c->open_first + c->open_count >= c->open_capacity) {
        memmove(c->open, c->open + c->open_first, (size_t)c->open_count * sizeof *c->open);
        c->open_first = 0;
    }
    if (!lane_grow((void **)&c->open, &c->open_capacity, c->open_first + c->open_count + 1, sizeof *c->open)) return 0;
    c->open[c->open_first + c->open_count++] = frame;
    return 1;
}

int lane_append_reading(lane_sensor *s, int64_t frame, int64_t captured, const char *bytes)
{
    const size_t size = (size_t)s->size;
    if (s->first && s->first + s->count >= s->capacity) {
        memmove(s->readings, s->readings + s->first, (size_t)s->count * sizeof *s->readings);
        memmove(s->bytes, s->bytes + size * (size_t)s->first, size * (size_t)s->count);
        s->first = 0;
    }
    if (s->count >= s->capacity) {
        int capacity = s->capacity;
        if (!lane_grow((void **)&s->bytes, &capacity, s->count + 1, size)) return 0;
        if (!lane_grow((void **)&s->readings, &s->capacity, s->count + 1, sizeof *s->readings)) return 0;
    }
    if (!s->newest && !(s->newest = malloc(size))) return 0;
    s->readings[s->first + s->count] = (lane_reading){frame, captured};
    if (bytes) memcpy(s->bytes + size * (size_t)(s->first + s->count), bytes, size);
    s->count++;
    return 1;
}

int lane_give_incoming(lane_client *c, const char *bytes, int length)
{
    if (length > LANE_BUFFER - LANE_RECEIVE) return 0;
    if (length) memcpy(c->incoming, bytes, (size_t)length);
    c->incoming_start = 0, c->incoming_end = length;
    return 1;
}

int lane_give_outgoing(lane_client *c, const char *bytes, int length)
{
    if (!lane_grow((void **)&c->outgoing, &c->outgoing_capacity, length, 1)) return 0;
    if (length) memcpy(c->outgoing, bytes, (size_t)length);
    c->outgoing_length = length;
    return 1;
}

int64_t lane_round_up(double frames, double relative)
{
    const int64_t never = INT64_C(1) << 62;
    if (!(-(double)never < frames && frames < (double)never)) return frames > 0 ? never : -never;
    const double nearest = rint(frames), slack = fmax(1e-6, relative * fabs(frames));
    return (int64_t)(fabs(frames - nearest) <= slack ? nearest : ceil(frames));
}

void lane_interrupt(lane *l) { atomic_store(&l->news, 1); }
void lane_listen(lane *l) { atomic_store(&l->news, 0); }
int64_t lane_frame(lane *l) { return l->frame; }
int lane_middle(lane *l) { return l->middle; }
int lane_culprit(lane *l) { return l->culprit; }
int lane_errno(lane *l) { return l->error; }

/* What comes before the clients' answers. */
static int begin_frame(lane *l)
{
    int reason = lane_foresee(l);
    for (int i = 0; i < l->client_count && !reason; i++) {
        reason = lane_sense(l, &l->clients[i]);
        if (!reason) reason = lane_queue_frame(l, &l->clients[i]);
    }
    return reason ? reason : lane_digest(l);
}

static int finish_frame(lane *l)
{
    for (int i = 0; i < l->client_count; i++) {
        int reason = lane_execute(l, &l->clients[i]);
        if (!reason) reason = lane_drive(l, &l->clients[i]);
        if (reason) return reason;
    }
    return kernel_run(l->k, 1) == KERNEL_FINE ? 0 : LANE_STEP;
}

int lane_run(lane *l, int64_t frame, int64_t until, double seconds, int spin)
{
    const double end = lane_now() + seconds;
    l->frame = frame;
    l->middle = false;
    l->culprit = -1;
    l->error = 0;
    lane_sleep_lightly();
    lane_prepare(l);
    lane_know_sensors(l);
    lane_choose_batch(l);
    for (int count = 1; l->frame < until; count++) {
        int reason;
        if (atomic_load_explicit(&l->news, memory_order_relaxed)) return LANE_NEWS;
        if (count % 16 == 0 && lane_now() > end) return LANE_CLOCK;
        if (l->digest_capacity && l->digest_count == l->digest_capacity) return LANE_FULL;
        if ((reason = begin_frame(l))) return reason;
        l->middle = true;
        if ((reason = lane_wait(l, spin))) return reason;
        if ((reason = finish_frame(l))) return reason;
        l->frame++;
        l->middle = false;
    }
    return LANE_DONE;
}
