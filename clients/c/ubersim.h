/* A client of the ÜberSim server, in plain C99 on POSIX sockets. One file, no dependencies: compile ubersim.c along.
 *
 *     char error[UBERSIM_ERROR_SIZE];
 *     ubersim *robot = ubersim_connect_file("127.0.0.1", "9040", "robots/segway.xml", error);
 *     while (ubersim_next_frame(robot) > 0) {
 *         float tilt;
 *         if (ubersim_float(robot, "Tilt", &tilt))
 *             ubersim_set(robot, "LMotor", UBERSIM_VEL, 10 * tilt);
 *     }
 *     ubersim_close(robot);
 *
 * Commands are gathered and sent together with the acknowledgement of their frame, and only when no further frame has
 * been received yet: whatever came with one receive is answered with one send.
 */
#ifndef UBERSIM_H
#define UBERSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ubersim ubersim;

enum { UBERSIM_ERROR_SIZE = 512 };

/* Properties of joints; add UBERSIM_AXIS2 or UBERSIM_AXIS3 for the second or the third axis. */
enum {
    UBERSIM_LO_STOP = 0,
    UBERSIM_HI_STOP = 1,
    UBERSIM_VEL = 2,
    UBERSIM_FMAX = 3,
    UBERSIM_FUDGE_FACTOR = 4,
    UBERSIM_BOUNCE = 5,
    UBERSIM_CFM = 6,
    UBERSIM_STOP_ERP = 7,
    UBERSIM_STOP_CFM = 8,
    UBERSIM_SUSPENSION_ERP = 9,
    UBERSIM_SUSPENSION_CFM = 10,
    UBERSIM_AXIS2 = 0x100,
    UBERSIM_AXIS3 = 0x200
};

/* Properties of sensors; the last three of cameras only. */
enum {
    UBERSIM_FREQUENCY = 0,
    UBERSIM_LATENCY = 1,
    UBERSIM_NOISE = 2,
    UBERSIM_FOV = 16,
    UBERSIM_BRIGHTNESS = 17,
    UBERSIM_LEVEL = 18
};

/* Of solids, by the solid's own name: its colour. */
enum { UBERSIM_RED = 24, UBERSIM_GREEN = 25, UBERSIM_BLUE = 26 };

/* Of motors and drives; each has some of these, and the welcome says which. */
enum {
    UBERSIM_TARGET = 32,
    UBERSIM_KP = 33,
    UBERSIM_KI = 34,
    UBERSIM_KD = 35,
    UBERSIM_VOLTAGE = 36,
    UBERSIM_TORQUE = 37,
    UBERSIM_SPEED = 38,
    UBERSIM_STIFFNESS = 39,
    UBERSIM_DAMPING = 40,
    UBERSIM_REST = 41,
    UBERSIM_KICK = 42,
    UBERSIM_POSE = 43,
    UBERSIM_STEERING = 44,
    UBERSIM_CURVATURE = 45,
    UBERSIM_TORQUE_LIMIT = 46,
    UBERSIM_SPEED_LIMIT = 47,
    UBERSIM_WINDUP_LIMIT = 48,
    UBERSIM_ACCELERATION = 49,
    UBERSIM_TURN_RATE = 50,
    UBERSIM_TURN_ACCELERATION = 51,
    UBERSIM_LEFT_WHEEL = 52,
    UBERSIM_RIGHT_WHEEL = 53,
    UBERSIM_SPEED_X = 54,
    UBERSIM_SPEED_Y = 55,
    UBERSIM_SPEED_Z = 56,
    UBERSIM_PITCH_RATE = 57,
    UBERSIM_ROLL_RATE = 58,
    UBERSIM_TURN = 59,
    UBERSIM_SIDEWAYS = 60
};

/* Brings a robot to a server and waits until it is in the world. NULL on failure, and `error` says why.
 * A host "unix:PATH" is a Unix socket, and its port does not count. */
ubersim *ubersim_connect(const char *host, const char *port, const char *xml, char error[UBERSIM_ERROR_SIZE]);
ubersim *ubersim_connect_file(const char *host, const char *port, const char *path, char error[UBERSIM_ERROR_SIZE]);

/* The server's welcome: JSON, with the robot's name, the step, and how to read each sensor. */
const char *ubersim_welcome(const ubersim *robot);

/* Acknowledges the frame before, if any, and waits for the next one. 1: here it is; 0: the server has ended;
 * -1: ubersim_error() says what went wrong. */
int ubersim_next_frame(ubersim *robot);

/* Why no frame comes any more: JSON with `reason` (finished, stopped, removed, failed), `frame` and `text`. NULL as long
 * as frames come, or if the server has not said: it does so only to robots that ask for <Protocol>2</Protocol>. */
const char *ubersim_end(const ubersim *robot);

/* What went wrong; empty if nothing did. */
const char *ubersim_error(const ubersim *robot);

/* Simulation time of this frame [s]. */
double ubersim_time(const ubersim *robot);

/* The newest reading of a sensor in this frame: its bytes, valid until the next frame; NULL if there is none. */
const unsigned char *ubersim_bytes(const ubersim *robot, const char *sensor, size_t *size);

/* The same for a sensor whose reading is a single f32 (of a stamped one the time is left out). 1 if there is one, else 0. */
int ubersim_float(const ubersim *robot, const char *sensor, float *value);

/* Commands. 0, or -1 if it cannot be sent: ubersim_error() says why. They take effect after the robot's latency. */
int ubersim_set(ubersim *robot, const char *component, uint32_t property, float value);
int ubersim_set_latency(ubersim *robot, float milliseconds);

/* A message with a payload of its own, for a component whose type defines such, or Cancel of version 2. */
int ubersim_send(ubersim *robot, const char *name, const void *payload, size_t size);

/* The commands after it are sent at this instant of simulation time [s], which models computing time. Optional. */
int ubersim_stamp(ubersim *robot, double time);

/* Parameters of the program (version 2 of the protocol): supervisors and people at the live page may change them. Declare
 * each once; 0, or -1. Limits that are infinite are none. The last of `choices` is NULL. */
int ubersim_declare_number(ubersim *robot, const char *name, double value, double low, double high);
int ubersim_declare_switch(ubersim *robot, const char *name, int on);
int ubersim_declare_choice(ubersim *robot, const char *name, const char *value, const char *const *choices);
int ubersim_declare_text(ubersim *robot, const char *name, const char *value);

/* What a parameter is in this frame: of a number, or of a switch (0 or 1); NaN if there is none of that name. */
double ubersim_parameter(const ubersim *robot, const char *name);
/* The same of a choice or a text; NULL if there is none. Valid until the next frame. */
const char *ubersim_parameter_text(const ubersim *robot, const char *name);

/* What the program thinks (version 2), for logs and the live page. 0, or -1. Where nothing listens, nothing is sent. */
enum { UBERSIM_DEBUG = 0, UBERSIM_INFO = 1, UBERSIM_WARNING = 2, UBERSIM_SEVERE = 3, UBERSIM_FATAL = 4 };
int ubersim_log_number(ubersim *robot, const char *name, double value);
int ubersim_log_vector(ubersim *robot, const char *name, const double *values, size_t count);
int ubersim_log_text(ubersim *robot, const char *name, int level, const char *text);
/* The bytes of a PNG or JPEG file. */
int ubersim_log_image(ubersim *robot, const char *name, const void *file, size_t size);
/* `xyz` has three for each point; `space` is "" for the world, or a body that carries them. */
int ubersim_log_points(ubersim *robot, const char *name, const char *space, const float *xyz, size_t count);
/* JSON as docs/protocol.md has it: lines, points, text, at, color, width, space. */
int ubersim_log_drawing(ubersim *robot, const char *name, const char *json);

/* Leaves the world; what was acknowledged before still counts. */
void ubersim_close(ubersim *robot);

#ifdef __cplusplus
}
#endif
#endif
