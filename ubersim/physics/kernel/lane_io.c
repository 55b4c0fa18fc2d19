/* The native lane: frames go out, answers are waited for. As server/client_sessions.py has it. */
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "lane.h"

static const char STAMP_HEAD[] = "\x12\0\0\0Timestamp", FRAME_END[] = "\x09\0\0\0FrameEnd";
static const double SPIN = 200e-6; /* for how long to look before sleeping [s] */
static const double TICK = 0.1;    /* for how long to wait before Python looks at its clocks [s]: that of server/session.py */
static const double SHORTEST_DOZE = 20e-6, LONGEST_DOZE = 1e-3; /* [s] */
static const double BETTER = 0.95, HOPELESS = 2;
enum { FEW_FRAMES = 4 };
enum { SETTLING = 16, COUNTING = 48, LONGEST_PAUSE = 1 << 16 };

/* Naps of some microseconds, which Linux would make fifty longer by itself. */
void lane_sleep_lightly(void) { prctl(PR_SET_TIMERSLACK, 1000UL); }

double lane_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool put(lane_client *c, const void *bytes, int length)
{
    if (!lane_grow((void **)&c->outgoing, &c->outgoing_capacity, c->outgoing_length + length, 1)) return false;
    memcpy(c->outgoing + c->outgoing_length, bytes, (size_t)length);
    c->outgoing_length += length;
    return true;
}

int lane_queue_frame(lane *l, lane_client *c)
{
    const double time = (double)l->frame * l->step;
    if (c->silence) {
        const bool quiet = !c->told_count || c->sensed != l->frame;
        if (quiet && l->frame - c->told_frame < c->silence) {
            c->sent = l->frame;
            return 0;
        }
        c->told_frame = l->frame;
        if (!lane_append_open(c, l->frame)) return LANE_FULL;
    }
    bool fits = put(c, STAMP_HEAD, sizeof STAMP_HEAD) && put(c, &time, sizeof time);
    const char *payload = c->told_bytes;
    for (int i = 0; i < c->told_count && c->sensed == l->frame; i++) {
        const lane_sensor *s = &c->sensors[c->told[i]];
        const int size = (s->stamped ? 8 : 0) + s->size;
        fits = fits && put(c, s->head, s->head_length) && put(c, payload, size);
        payload += size;
    }
    c->sent = l->frame;
    if (c->outgoing_length > LANE_MUCH) l->unflushed = l->batch;
    return fits && put(c, FRAME_END, sizeof FRAME_END) ? 0 : LANE_FULL;
}

static int blame(lane *l, const lane_client *c, int reason, int error)
{
    l->culprit = (int)(c - l->clients);
    l->error = error;
    return reason;
}

static int flush_client(lane *l, lane_client *c)
{
    if (!c->outgoing_length) return 0;
    const ssize_t count = send(c->descriptor, c->outgoing, (size_t)c->outgoing_length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count == c->outgoing_length) {
        c->outgoing_length = 0;
        c->flushed = c->sent;
        return 0;
    }
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return blame(l, c, LANE_UNSENT, errno);
    if (count > 0) {
        memmove(c->outgoing, c->outgoing + count, (size_t)(c->outgoing_length - count));
        c->outgoing_length -= (int)count;
        c->taken += count;
    }
    return blame(l, c, LANE_UNSENT, 0);
}

/* Everybody gets what there is; the first who does not take it is the reason to return. */
int lane_flush(lane *l)
{
    int reason = 0;
    l->unflushed = 0;
    for (int i = 0; i < l->client_count && !reason; i++) reason = flush_client(l, &l->clients[i]);
    return reason;
}

/* What has come, if anything: -1 if not. */
static int receive(lane *l, lane_client *c, int flags)
{
    if (c->incoming_start) {
        memmove(c->incoming, c->incoming + c->incoming_start, (size_t)(c->incoming_end - c->incoming_start));
        c->incoming_end -= c->incoming_start, c->incoming_start = 0;
    }
    const ssize_t count = recv(c->descriptor, c->incoming + c->incoming_end, LANE_RECEIVE, flags);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : blame(l, c, LANE_LOST, errno);
    if (count == 0) return blame(l, c, LANE_LOST, 0);
    c->incoming_end += (int)count;
    const int reason = lane_understand(l, c);
    return reason ? blame(l, c, reason, 0) : 0;
}

/* How long a client takes for an answer, in the long run. */
static void learn_pace(lane_client *c)
{
    const double now = lane_now();
    if (c->acked <= c->answered) return;
    if (c->answered_at) {
        const double each = (now - c->answered_at) / (double)(c->acked - c->answered);
        c->pace = c->pace ? c->pace + (each - c->pace) / 8 : each;
    }
    c->answered_at = now, c->answered = c->acked;
}

/* A client that has many frames to answer is left alone until it has answered half of them: every answer would wake this process, which
   costs both of them more than the answer itself. It has the other half to go on with. */
static bool doze(const lane_client *c)
{
    const double seconds = fmin(LONGEST_DOZE, c->pace * (double)(c->sent - c->acked) / 2);
    if (c->sent - c->acked < FEW_FRAMES || seconds < SHORTEST_DOZE) return false;
    const struct timespec time = {0, (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
    return true;
}

/* Asleep, or looking first; -1 if nothing came for a tick. */
static int await(lane *l, lane_client *c, bool look)
{
    if (!look && doze(c)) {
        const int reason = receive(l, c, MSG_DONTWAIT);
        if (reason >= 0) return reason;
    }
    if (look)
        for (const double end = lane_now() + SPIN; lane_now() < end;) {
            const int reason = receive(l, c, MSG_DONTWAIT);
            if (reason >= 0) return reason;
        }
    return receive(l, c, 0); /* the socket has a timeout */
}

/* The client answers in pieces, perhaps with Nagle's algorithm on: acknowledged, the next comes at once. */
static void acknowledge_quickly(const lane_client *c)
{
    const int on = 1;
    setsockopt(c->descriptor, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

/* A client that says nothing for a tick is Python's to wait for, and one that says much in it which brings nobody on. */
static int wait_for(lane *l, lane_client *c, bool look)
{
    bool flushed = false;
    double talking_since = 0;
    while (lane_allowed(c) < l->frame) {
        /* An answer may be here already, of a client that has had frames to answer. */
        int reason = c->acked < c->flushed && !flushed ? receive(l, c, MSG_DONTWAIT) : -1;
        if (reason < 0) {
            if (!flushed && (reason = lane_flush(l))) return reason;
            flushed = true;
            reason = await(l, c, look);
            if (reason < 0) return blame(l, c, LANE_SILENCE, 0);
        }
        if (reason) return reason;
        if (c->minimum) learn_pace(c);
        if (lane_allowed(c) >= l->frame) break;
        acknowledge_quickly(c);
        if (!talking_since) talking_since = lane_now();
        if (lane_now() - talking_since > TICK) return blame(l, c, LANE_SILENCE, 0);
        if (atomic_load_explicit(&l->news, memory_order_relaxed)) return LANE_NEWS;
    }
    return 0;
}

/* Which way of waiting is quicker, with these clients on this machine, is found out by trying both now and then: a trial counts frames
   once the scheduler has got used to it, ends early if it is far worse, and the better one is used for ever longer. */
static void begin_trial(lane_waiting *w, bool looking)
{
    w->looking = looking;
    w->trying = SETTLING + COUNTING;
    w->tried = 0;
}

static void end_trial(lane_waiting *w, double cost)
{
    const bool other_is_known = w->cost[!w->looking] > 0;
    w->cost[w->looking] = cost;
    w->trying = 0;
    if (!other_is_known) {
        begin_trial(w, !w->looking);
        return;
    }
    const int better = w->cost[1] < BETTER * w->cost[0]; /* where it makes no difference, sleeping costs nothing */
    w->looking = better;
    w->cost[!better] = 0; /* it has to show again what it can do */
    w->pause = w->pause ? (w->pause < LONGEST_PAUSE ? 2 * w->pause : LONGEST_PAUSE) : 1024;
    w->next_trial = w->pause;
}

static void count_frame(lane_waiting *w)
{
    if (!w->trying) {
        if (--w->next_trial <= 0) {
            w->cost[0] = w->cost[1] = 0;
            begin_trial(w, w->looking);
        }
        return;
    }
    const double now = lane_now();
    if (w->trying > COUNTING || !w->tried) {
        if (w->trying <= COUNTING) w->tried = 1;
        w->since = now;
    } else {
        const double cost = (now - w->since) / w->tried++;
        const double other = w->cost[!w->looking];
        if (other > 0 && w->tried > 8 && cost > HOPELESS * other) {
            end_trial(w, cost);
            return;
        }
        if (w->trying == 1) {
            end_trial(w, cost);
            return;
        }
    }
    w->trying--;
}

/* Every send wakes a client, which costs more than the frame's bytes. One that has half of its frames to answer has time for it while
   the other half is simulated. */
void lane_choose_batch(lane *l)
{
    int64_t batch = LANE_LARGEST_BATCH;
    for (int i = 0; i < l->client_count; i++) {
        const int64_t half = l->clients[i].minimum / 2;
        if (half < batch) batch = half;
    }
    l->batch = batch > LANE_BATCH ? (int)batch : LANE_BATCH;
}

int lane_wait(lane *l, bool spin)
{
    bool waits = false;
    for (int i = 0; i < l->client_count; i++) {
        lane_client *c = &l->clients[i];
        const int reason = c->silence && lane_allowed(c) < l->frame ? lane_catch_up(c) : 0;
        if (reason) return blame(l, c, reason, 0);
    }
    for (int i = 0; i < l->client_count; i++) waits = waits || lane_allowed(&l->clients[i]) < l->frame;
    if (!waits) return ++l->unflushed >= l->batch ? lane_flush(l) : 0;
    if (spin) count_frame(&l->waiting);
    for (int i = 0; i < l->client_count; i++) {
        const int reason = wait_for(l, &l->clients[i], spin && l->waiting.looking);
        if (reason) return reason;
    }
    return 0;
}
