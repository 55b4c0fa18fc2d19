/* What Python sees of the native lane: plain frames of a server, many per call, without Python. Plain declarations only: cffi
   reads this file too, all but the preprocessor's lines. Outside of lane_run all state is Python's: it is written into these
   structures before, and read from them afterwards. */
#ifndef UBERSIM_LANE_API_H
#define UBERSIM_LANE_API_H

#include "api.h"

/* Why lane_run returned. */
enum lane_reason {
    LANE_DONE = 0,     /* all frames that it was allowed */
    LANE_CLOCK = 1,    /* it is time to look at other things */
    LANE_NEWS = 2,     /* another thread has something */
    LANE_SILENCE = 3,  /* a client has said nothing for a tick that brings it on */
    LANE_MESSAGE = 4,  /* a client has said something that is not plain */
    LANE_LOST = 5,     /* nothing more can be received from a client; `error` says why, 0: it has closed the connection */
    LANE_UNSENT = 6,   /* a client does not take what it is sent; with `error`, it never will */
    LANE_STEP = 7,     /* a command or the step failed: taking the step again tells what is wrong */
    LANE_SENSING = 8,  /* rays cannot be cast, or a body touches that a sensor does not know */
    LANE_FULL = 9,     /* no memory, or no room where the caller gave it */
};

/* A command on its way. */
typedef struct {
    int64_t frame;  /* in which it is executed; of one that waits for its stamp, that stamp */
    int64_t sent;   /* its stamp; of one that waits, the number of its arrival */
    double value;
    int32_t target;
} lane_command;

/* In order; the first of them is at `first`. */
typedef struct {
    lane_command *items;
    int first, count, capacity;
} lane_queue;

/* What a command sets: a property of a joint, or one of a motor. */
typedef struct {
    joint *joint;     /* NULL: a motor's */
    int parameter;    /* the joint's, or the motor's place among its values */
    int motor;
    double low, high; /* that it takes */
    double zero;      /* which is subtracted first */
} lane_target;

/* How values differ from the truth. */
typedef struct {
    double noise, resolution;
    const double *bias; /* NULL: none */
    void *random;       /* numpy's bit generator: the same that Python draws from */
} lane_error;

enum lane_sensor_kind {
    LANE_TILT = 0,     /* atan2 of what numbers 0-2 and 3-5 make of the body's third row */
    LANE_HEADING = 1,  /* of the body's direction 0-2 */
    LANE_RATE = 2,     /* turn 0-8 */
    LANE_FORCE = 3,    /* turn 0-8, place 9-11, gravity 12-14 */
    LANE_IMU = 4,      /* the same, and the quaternion 15-18 of the mounting */
    LANE_AXIS = 5,     /* position (if number 1 is set) from the zero 0, rate, effort */
    LANE_REPORT = 6,   /* positions (if number 1 is set) and rates of all axes, the first from the zero 0 */
    LANE_SCAN = 7,     /* distances, none below 0 */
    LANE_ECHO = 8,     /* the shortest of them */
    LANE_WAY = 9,      /* odometry of `joint_count` wheels about `axis`: radius 0 and track 1 of two, else `constants` have the solution */
    LANE_PATH = 10,    /* odometry without wheels: place 0-2, turn 3-11 */
    LANE_TOUCH = 11,   /* the same, and how far it feels 12: number of contacts, force, the strongest partner's number */
    LANE_BUMP = 12,    /* the same, half its sector 12, threshold 13: one byte */
    LANE_TRUTH = 13,   /* where bodies are and how they move, 13 values each, as f64; not a number for one that is not there */
};

/* A reading on its way. */
typedef struct {
    int64_t frame, captured; /* in which it arrives, and was made */
} lane_reading;

typedef struct {
    /* When and how it is told. What every frame looks at comes first: it is cold in a frame of many clients. */
    _Bool stamped, keeps_order;
    double frequency; /* 0: in every frame */
    int64_t minimum;  /* frames that a reading takes */
    int64_t next_sample, latest_arrival, pushed;
    int64_t latest_frame; /* in which the newest reading was captured that was delivered */
    const char *head;     /* of the message */
    int head_length;
    /* What is under way, in order, and the bytes of each after the other; the newest that was delivered, at `newest`. */
    lane_reading *readings;
    char *bytes;
    int first, count, capacity;
    char *newest;
    int kind;
    body *body;
    joint *joint;
    int axis; /* of the joint; of a report, how many */
    int values;           /* of a reading, */
    int size;             /* and its bytes: each value is an f32, the truth an f64, or a byte if it is the only one */
    lane_error errors[2]; /* of the values, and of a part of them */
    int error_count;
    double numbers[20];
    /* Rays: what kernel_cast_bundle takes. */
    int ray_count;
    const double *place, *fixed, *ranges;
    body *ignored;
    int32_t ignored_owner;
    double *origins, *directions, *distances, *normals;
    int64_t *ids;
    /* Odometry: the wheels; their senses, their zeros, and the three rows that make a motion of what omni wheels have turned. */
    joint *joints[16];
    int joint_count;
    const double *constants;
    double *memory; /* what it carries from reading to reading: frame; pose; twist; encoders; turned and rate of each wheel, or last place
                       and way without wheels */
    /* Touch: the geoms that are known so far, by their ids in order, and the number of each in the legend; -1: it is not felt. */
    const int64_t *partners;
    const double *partner_numbers;
    int partner_count;
    /* Truth: whose, NULL for who is not there; `memory` has room for it. */
    body **bodies;
    int body_count;
} lane_sensor;

enum lane_motor_kind {
    LANE_SERVO = 0,        /* target, kp, ki, kd, torque limit, speed limit, windup limit; memory: integral part */
    LANE_VELOCITY = 1,     /* speed, torque limit, acceleration; memory: the speed that is kept */
    LANE_DC = 2,           /* voltage; the most of it, torque per current at the joint, resistance, damping, the strongest */
    LANE_KICK = 3,         /* kick; stroke, speed, speed of return, force, how near is back, frames: recharging, patience; memory: phase, shot at */
    LANE_TWIST = 4,        /* speed, sideways, turn: of its wheels */
    LANE_VEHICLE = 5,      /* speed, steering, curvature, turn, sideways; tightest curve, wheelbase, radius, haste, torque and speed that steer,
                              torque that drives; memory: bend, whether turn was told last */
    LANE_DIFFERENTIAL = 6, /* sideways, speed, turn, left and right wheel, two accelerations; radius, distance of the wheels */
    LANE_HOLONOMIC = 7,    /* to the right, forward, turn, two accelerations */
    LANE_SPATIAL = 8,      /* to the right, forward, up, three rates, two accelerations; memory of all three: now, moved, whether it was blocked */
};

/* A wheel that a drive turns. */
typedef struct {
    joint *joint;
    int motor;           /* of the client: it is told the speed; -1: none, then the joint is */
    int vel, fmax, cfm;  /* parameters of the axis that rolls; vel -1: it is not driven */
    int swing_vel, swing_fmax, swing_cfm; /* and of the one that steers */
    double zero;         /* of its angle */
    double numbers[4];   /* how fast it turns per part of the twist: sideways, speed, turn; of a car, where it is: to the right, ahead, and the senses
                            of left and forward */
    double angle, speed; /* what follows for a car's */
} lane_wheel;

/* A motor's law, or a drive's. Its values are those that commands set, and after them what no command does. */
typedef struct {
    int kind;
    joint *joint;
    int axis, vel, fmax, cfm; /* parameters of the joint */
    double zero;
    _Bool wraps;              /* the error is taken the short way round */
    double values[12];
    double memory[16];        /* what it carries from frame to frame */
    _Bool changed, busy, was_set;
    int64_t minimum;          /* frames that a command takes inside it */
    _Bool keeps_order;
    int64_t latest, pushed;
    lane_queue delay;
    double damping, force, speed, growth; /* what follows from the values */
    lane_wheel *wheels;
    int wheel_count;
    body **bodies;            /* of what moves as it is told, and where its centre is, seen from the first of them */
    int body_count;
    double center[3];
} lane_motor;

typedef struct {
    int descriptor;
    _Bool lookahead, keeps_order;
    int64_t acked, stamp, minimum, latest, received, pushed;
    int64_t sent;    /* the last frame that was queued for it */
    int64_t flushed; /* the last that was sent */
    /* One that is sent only frames with readings, and one after so many without; 0: all are sent. `told` is the last that it was really
       sent, `open` those of them that it has not acknowledged. Frames that it was not sent need no answer: server/sparse_session.py. */
    int64_t silence, told_frame;
    int64_t *open;
    int open_first, open_count, open_capacity;
    lane_queue queue, held;
    /* Frames of execution of what entered the queue: the caller has a limit on them. */
    int64_t *entered;
    int entered_count, entered_capacity;
    int64_t room;
    /* Bytes that came and were not understood yet, and bytes that wait to be sent. */
    char *incoming;
    int incoming_start, incoming_end;
    char *outgoing;
    int outgoing_length, outgoing_capacity;
    int64_t taken; /* bytes that it took while more were waiting */
    lane_target *targets;
    int target_count;
    int sensor_count, motor_count;
    lane_sensor *sensors;
    lane_motor *motors;
    int64_t sensed; /* the frame of its last readings, */
    int told_count; /* which were these sensors', captured in these frames, with their payloads at these places in `told_bytes` */
    int *told;
    int64_t *told_captured;
    int told_capacity;
    char *told_bytes;
    int told_length, told_bytes_capacity;
    int64_t next_sense; /* the next frame in which a sensor has anything to do */
    double pace;        /* how long it takes for an answer [s]; 0: not known */
    double answered_at; /* when it answered last, by then up to this frame */
    int64_t answered;
    int64_t driven;     /* the last frame before whose step its motors had their way */
    void *lookup;       /* targets by their bytes */
} lane_client;

typedef struct lane lane;
lane *lane_create(kernel *k, double step, double (*standard_normal)(void *random));
void lane_destroy(lane *l);
/* Takes all clients out, and makes room for so many, each zeroed; NULL: no memory. They are in the order of their robots. */
lane_client *lane_clients(lane *l, int count);
/* The same for the parts of one; 0 if there is no memory. */
int lane_equip(lane_client *c, int targets, int sensors, int motors);
/* Messages that begin with these bytes, followed by a value, are about this target. */
int lane_name_target(lane_client *c, int target, const char *head, int length);
int lane_append(lane_queue *q, int64_t frame, int64_t sent, int32_t target, double value);
int lane_append_reading(lane_sensor *s, int64_t frame, int64_t captured, const char *bytes);
/* A frame that it was sent and has not acknowledged, after those that it has. */
int lane_append_open(lane_client *c, int64_t frame);
int lane_give_incoming(lane_client *c, const char *bytes, int length);
int lane_give_outgoing(lane_client *c, const char *bytes, int length);
/* Where the hash of every frame goes, 16 bytes each, of the bodies in this order of rows; capacity 0: nowhere. */
void lane_set_digests(lane *l, uint8_t *digests, int capacity, const int64_t *rows, int row_count);
int lane_digest_count(lane *l);
/* Another thread wants the next lane_run to end, or the one that runs. */
void lane_interrupt(lane *l);
/* Forgets interruptions; what they were about has to be looked at after this. */
void lane_listen(lane *l);
/* From `frame` up to `until`, or as long as `seconds` last. `middle` says whether the frame has been begun by then; `spin`, whether
   there is a core on which to look for answers without sleeping. */
int lane_run(lane *l, int64_t frame, int64_t until, double seconds, int spin);
int64_t lane_frame(lane *l);
int lane_middle(lane *l);
int lane_culprit(lane *l); /* the client that the reason is about */
int lane_errno(lane *l);

#endif
