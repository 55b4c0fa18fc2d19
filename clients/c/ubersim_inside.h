/* What the client's own files share; programs need ubersim.h alone. */
#ifndef UBERSIM_INSIDE_H
#define UBERSIM_INSIDE_H

#include "ubersim.h"

enum { TIME_SIZE = 8, LONGEST_SENT = 1 << 16, CHUNK = 1 << 16 };

typedef struct {
    unsigned char *data;
    size_t size, room;
} buffer;

typedef struct {
    size_t name, payload, size; /* places in the incoming bytes, and how many payload bytes there are */
} reading;

struct ubersim {
    int socket;
    int frame_open; /* a frame was handed out that has yet to be acknowledged */
    int in_frame;   /* its Timestamp was read, its FrameEnd was not */
    int naps;       /* how many waits to sleep through before looking again, */
    int pause;      /* and how many it were the last time */
    int lost;       /* nothing can be sent any more; what was received may still say why */
    double time;
    buffer in, out;
    buffer frame;  /* the readings of this frame: an array of `reading` */
    buffer parameters; /* of ubersim_program.c, if the program has any; so are these: */
    int says_whether_listened;
    int (*take_parameter)(ubersim *robot, const reading *found);
    void (*forget_parameters)(ubersim *robot);
    size_t parsed; /* how many of the incoming bytes are understood */
    char *welcome;
    char *end; /* what the server said last, if it did */
    char error[UBERSIM_ERROR_SIZE];
};

/* Says what went wrong; -1. */
int ubersim_fail(ubersim *robot, const char *what, const char *detail);
/* Makes sure that `more` bytes fit in behind those that are there; 0, or -1. */
int ubersim_reserve(ubersim *robot, buffer *bytes, size_t more);
/* A number in little-endian bytes, whatever the machine's own order is. */
void ubersim_put_bits(unsigned char *to, uint64_t bits, size_t size);

#endif
