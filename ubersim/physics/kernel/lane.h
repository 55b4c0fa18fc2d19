/* The native lane's insides. */
#ifndef UBERSIM_LANE_H
#define UBERSIM_LANE_H

#include <stdatomic.h>

#include "kernel.h"
#include "lane_api.h"

enum {
    LANE_BATCH = 8,                /* frames that may wait for a send while there are acks left, */
    LANE_LARGEST_BATCH = 64,       /* or half of what the clients' latencies allow, up to so many, */
    LANE_MUCH = 32768,             /* unless a client's bytes become more than these */
    LANE_MOST_AHEAD = 1000000,     /* how far a stamp may lie beyond the first frame that is not acknowledged */
    LANE_MOST_HELD = 65536,        /* commands that wait for their stamp */
    LANE_LONGEST_MESSAGE = 65536,  /* from a client */
    LANE_BUFFER = 2 * 65536 + 8,   /* one receive, and a message that is not complete */
    LANE_RECEIVE = 65536,
};

/* How to wait for an answer: asleep, or looking again and again. What is better is found out by trying. */
typedef struct {
    int looking;          /* now */
    int trying;           /* frames that are left of the trial; 0: none */
    int tried;            /* frames of this trial that count */
    double since;         /* when they began */
    double cost[2];       /* seconds per frame, of either way as far as known */
    int64_t next_trial;   /* frames from now */
    int64_t pause;
} lane_waiting;

struct lane {
    kernel *k;
    double step;
    double (*standard_normal)(void *random);
    lane_client *clients;
    int client_count;
    int64_t frame;
    bool middle;
    bool foresees;        /* some sensor casts rays, or has to know who touches it */
    int unflushed, batch; /* frames: that wait for a send, and that may */
    int culprit, error;
    atomic_int news;
    uint8_t *digests;
    int digest_count, digest_capacity;
    const int64_t *rows;
    int row_count;
    double *state; /* scratch of the digest */
    int state_capacity;
    lane_waiting waiting;
};

double lane_now(void);
void lane_sleep_lightly(void);
int64_t lane_round_up(double frames, double relative);
bool lane_grow(void **memory, int *capacity, int needed, size_t size);

/* These return 0 when all is well, else a reason to return to Python. */
int lane_understand(lane *l, lane_client *c);
int lane_catch_up(lane_client *c);
int lane_execute(lane *l, lane_client *c);
void lane_know_sensors(lane *l);
int lane_foresee(lane *l);
int lane_sense(lane *l, lane_client *c);
void lane_err(const lane *l, const lane_error *e, double *values, int count);
void lane_find_way(lane *l, const lane_sensor *s, double *reported);
void lane_see_frame(const kernel *k, const lane_sensor *s, double *position, double *rotation);
void lane_turn_back(const double *r, const double *v, double *seen);
bool lane_knows_partners(const kernel *k, const lane_sensor *s);
void lane_feel(const lane *l, const lane_sensor *s, double *values);
double lane_bump(const kernel *k, const lane_sensor *s);
int lane_queue_frame(lane *l, lane_client *c);
int lane_flush(lane *l);
void lane_choose_batch(lane *l);
int lane_wait(lane *l, bool spin);
int lane_digest(lane *l);
void lane_prepare(lane *l);
int lane_drive(lane *l, lane_client *c);
void lane_aim(const lane *l, joint *j, int vel, double speed, double fastest);
void lane_engage(const lane *l, joint *j, int fmax, int cfm, double force, double damping);
int lane_twist(const lane *l, lane_client *c, const lane_motor *m);
void lane_take_course(lane_motor *m, int parameter, double value);
void lane_follow_curve(lane_motor *m);
void lane_engage_wheels(const lane *l, const lane_motor *m);
void lane_steer(const lane *l, const lane_motor *m);
void lane_turn_two_wheels(lane_motor *m, int parameter);
int lane_move(lane *l, lane_motor *m, bool *goes_on);
double lane_sine(double angle);
double lane_cosine(double angle);
int lane_set_motor(lane_motor *m, int64_t frame, int parameter, double value);
int64_t lane_allowed(const lane_client *c);
void lane_free_lookup(void *lookup);
int lane_find_target(const lane_client *c, const char *head, int length);

#endif
