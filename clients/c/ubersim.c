/* See ubersim.h for what this does, and docs/protocol.md for the bytes. Compile this file along; it brings the rest. */
#define _POSIX_C_SOURCE 200809L

#include "ubersim.h"
#include "ubersim_inside.h"
#include "ubersim_socket.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_SIZE = 4, ENDED = 2 };
enum { MOST_READINGS = 1 << 20 }; /* in one frame */
static const size_t LONGEST_MESSAGE = (size_t)4096 * 4096 * 4 + (1 << 16); /* the largest picture and its head */
static const size_t LONGEST_FRAME = (size_t)513 << 20; /* more than the server keeps for one robot */

/* What a server says may be anything; a terminal must not obey it. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') || *text == 0x7f)
            *text = '?';
}

int ubersim_fail(ubersim *robot, const char *what, const char *detail)
{
    snprintf(robot->error, sizeof robot->error, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
    make_printable(robot->error);
    return -1;
}

/* Numbers, whatever the machine's own byte order is. */

void ubersim_put_bits(unsigned char *to, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(bits >> 8 * i);
}

static uint64_t get_bits(const unsigned char *from, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)from[i] << 8 * i;
    return bits;
}

/* Makes sure that `more` bytes fit in behind those that are there. */
int ubersim_reserve(ubersim *robot, buffer *bytes, size_t more)
{
    if (bytes->room - bytes->size >= more)
        return 0;
    size_t room = bytes->room ? bytes->room : CHUNK;
    while (room - bytes->size < more)
        room *= 2;
    unsigned char *data = realloc(bytes->data, room);
    if (!data)
        return ubersim_fail(robot, "out of memory", NULL);
    bytes->data = data;
    bytes->room = room;
    return 0;
}

/* Sending */

static int append(ubersim *robot, const char *name, const unsigned char *payload, size_t size)
{
    size_t head = strlen(name) + 1;
    if (head == 1)
        return ubersim_fail(robot, "a component's name is empty", NULL);
    if (ubersim_reserve(robot, &robot->out, LENGTH_SIZE + head + size))
        return -1;
    unsigned char *to = robot->out.data + robot->out.size;
    ubersim_put_bits(to, head + size, LENGTH_SIZE);
    memcpy(to + LENGTH_SIZE, name, head);
    if (size)
        memcpy(to + LENGTH_SIZE + head, payload, size);
    robot->out.size += LENGTH_SIZE + head + size;
    return 0;
}

static int append_time(ubersim *robot, const char *name, double time)
{
    unsigned char payload[TIME_SIZE];
    if (!isfinite(time))
        return ubersim_fail(robot, "a time is not finite", name);
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    ubersim_put_bits(payload, bits, sizeof payload);
    return append(robot, name, payload, sizeof payload);
}

int ubersim_stamp(ubersim *robot, double time) { return append_time(robot, "Timestamp", time); }

int ubersim_set(ubersim *robot, const char *component, uint32_t property, float value)
{
    unsigned char payload[8];
    if (!isfinite(value))
        return ubersim_fail(robot, "a value is not finite", component);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ubersim_put_bits(payload, property, 4);
    ubersim_put_bits(payload + 4, bits, 4);
    return append(robot, component, payload, sizeof payload);
}

int ubersim_send(ubersim *robot, const char *name, const void *payload, size_t size)
{
    if (strlen(name) + 1 + size > LONGEST_SENT)
        return ubersim_fail(robot, "a message is longer than 64 KiB", name);
    return append(robot, name, payload, size);
}

int ubersim_set_latency(ubersim *robot, float milliseconds) { return ubersim_set(robot, "Client", 0, milliseconds); }

/* Receiving */

/* Finds the next message: 1 and where it is; 0 if it is incomplete, and how much is missing at least; -1: failure. */
static int next_message(ubersim *robot, reading *found, size_t *missing)
{
    size_t here = robot->in.size - robot->parsed;
    *missing = here < LENGTH_SIZE ? LENGTH_SIZE - here : 0;
    if (*missing)
        return 0;
    const unsigned char *message = robot->in.data + robot->parsed;
    size_t length = (size_t)get_bits(message, LENGTH_SIZE);
    if (length > LONGEST_MESSAGE)
        return ubersim_fail(robot, "the server sends a message that is too long", NULL);
    if (here - LENGTH_SIZE < length) {
        *missing = length - (here - LENGTH_SIZE);
        return 0;
    }
    const unsigned char *end = length ? memchr(message + LENGTH_SIZE, 0, length) : NULL;
    if (!end)
        return ubersim_fail(robot, "the server sends a message without a name", NULL);
    found->name = robot->parsed + LENGTH_SIZE;
    found->payload = (size_t)(end + 1 - robot->in.data);
    found->size = robot->parsed + LENGTH_SIZE + length - found->payload;
    robot->parsed += LENGTH_SIZE + length;
    return 1;
}

static int refused(ubersim *robot, const reading *found)
{
    char reason[UBERSIM_ERROR_SIZE];
    snprintf(reason, sizeof reason, "%.*s", (int)(found->size < 500 ? found->size : 500),
             (const char *)robot->in.data + found->payload);
    return ubersim_fail(robot, reason[0] ? reason : "the server refused without saying why", NULL);
}

/* Keeps a payload that is a text; 0, or -1 if there is no memory for it. */
static int keep_text(ubersim *robot, char **text, const reading *found)
{
    *text = malloc(found->size + 1);
    if (!*text)
        return ubersim_fail(robot, "out of memory", NULL);
    memcpy(*text, robot->in.data + found->payload, found->size);
    (*text)[found->size] = 0;
    return 0;
}

/* One message of a frame: 1 if it is the frame's end, 0 if not, ENDED if no frame comes any more, -1: failure. */
static int understand(ubersim *robot, const reading *found)
{
    const char *name = (const char *)robot->in.data + found->name;
    if (!strcmp(name, "Error"))
        return refused(robot, found);
    if (!robot->in_frame && !strcmp(name, "End"))
        return keep_text(robot, &robot->end, found) ? -1 : ENDED;
    if (!robot->in_frame) {
        if (strcmp(name, "Timestamp") || found->size != TIME_SIZE)
            return ubersim_fail(robot, "the server sends something else where a Timestamp is due", name);
        uint64_t bits = get_bits(robot->in.data + found->payload, TIME_SIZE);
        memcpy(&robot->time, &bits, sizeof robot->time);
        if (!isfinite(robot->time))
            return ubersim_fail(robot, "the server sends a time that is not finite", NULL);
        robot->in_frame = 1;
        return 0;
    }
    if (!strcmp(name, "FrameEnd")) {
        robot->in_frame = 0;
        return 1;
    }
    if (!strcmp(name, "Timestamp"))
        return ubersim_fail(robot, "the server sends a Timestamp within a frame", NULL);
    if (robot->take_parameter && !strcmp(name, "Parameter"))
        return robot->take_parameter(robot, found);
    if (robot->frame.size / sizeof *found >= MOST_READINGS)
        return ubersim_fail(robot, "the server sends a frame that does not end", NULL);
    if (ubersim_reserve(robot, &robot->frame, sizeof *found))
        return -1;
    memcpy(robot->frame.data + robot->frame.size, found, sizeof *found);
    robot->frame.size += sizeof *found;
    return 0;
}

int ubersim_next_frame(ubersim *robot)
{
    if (robot->error[0])
        return -1;
    if (robot->end)
        return 0;
    if (robot->frame_open && append_time(robot, "Ack", robot->time))
        return -1;
    robot->frame_open = 0;
    robot->frame.size = 0;
    if (robot->parsed == robot->in.size)
        robot->in.size = robot->parsed = 0; /* nearly always: nothing has to be moved */
    size_t start = robot->parsed;
    for (;;) {
        reading found;
        size_t missing;
        int whole = next_message(robot, &found, &missing);
        int ended = whole > 0 ? understand(robot, &found) : whole;
        if (ended == ENDED)
            return 0;
        if (ended) {
            robot->frame_open = ended > 0;
            return ended;
        }
        if (whole)
            continue;
        if (start) { /* what was handed out before goes, so that the buffer does not grow for ever */
            memmove(robot->in.data, robot->in.data + start, robot->in.size - start);
            robot->in.size -= start;
            robot->parsed -= start;
            reading *readings = (reading *)robot->frame.data;
            for (size_t i = 0; i < robot->frame.size / sizeof *readings; i++) {
                readings[i].name -= start;
                readings[i].payload -= start;
            }
            start = 0;
        }
        if (robot->in.size > LONGEST_FRAME)
            return ubersim_fail(robot, "the server sends a frame that does not end", NULL);
        send_all(robot);
        int more = receive(robot, missing);
        if (more < 0)
            return -1;
        if (!more) {
            if (robot->in_frame || robot->parsed < robot->in.size)
                return ubersim_fail(robot, "the server closed the connection in the middle of a frame", NULL);
            return 0;
        }
    }
}

/* Reading */

const char *ubersim_welcome(const ubersim *robot) { return robot->welcome; }
const char *ubersim_end(const ubersim *robot) { return robot->end; }
const char *ubersim_error(const ubersim *robot) { return robot->error; }
double ubersim_time(const ubersim *robot) { return robot->time; }

const unsigned char *ubersim_bytes(const ubersim *robot, const char *sensor, size_t *size)
{
    for (size_t i = robot->frame.size / sizeof(reading); i-- > 0;) {
        const reading *found = (const reading *)robot->frame.data + i;
        if (!strcmp((const char *)robot->in.data + found->name, sensor)) {
            *size = found->size;
            return robot->in.data + found->payload;
        }
    }
    return NULL;
}

int ubersim_float(const ubersim *robot, const char *sensor, float *value)
{
    size_t size;
    const unsigned char *bytes = ubersim_bytes(robot, sensor, &size);
    if (!bytes || (size != 4 && size != TIME_SIZE + 4))
        return 0;
    uint32_t bits = (uint32_t)get_bits(bytes + size - 4, 4);
    memcpy(value, &bits, sizeof *value);
    return 1;
}

/* Connecting */

static int introduce(ubersim *robot, const char *xml)
{
    size_t size = strlen(xml) + 1; /* the NUL ends the document */
    if (ubersim_reserve(robot, &robot->out, size))
        return -1;
    memcpy(robot->out.data, xml, size);
    robot->out.size = size;
    send_all(robot);
    reading found;
    size_t missing;
    int whole;
    while ((whole = next_message(robot, &found, &missing)) == 0) {
        int more = receive(robot, missing);
        if (more < 0)
            return -1;
        if (!more)
            return ubersim_fail(robot, "the server closed the connection before its welcome", NULL);
    }
    if (whole < 0)
        return -1;
    const char *name = (const char *)robot->in.data + found.name;
    if (!strcmp(name, "Error"))
        return refused(robot, &found);
    if (strcmp(name, "Welcome"))
        return ubersim_fail(robot, "the server sends something else where its Welcome is due", name);
    return keep_text(robot, &robot->welcome, &found);
}

ubersim *ubersim_connect(const char *host, const char *port, const char *xml, char error[UBERSIM_ERROR_SIZE])
{
    ubersim *robot = calloc(1, sizeof *robot);
    if (!robot) {
        snprintf(error, UBERSIM_ERROR_SIZE, "out of memory");
        return NULL;
    }
    robot->socket = -1;
    if (open_socket(robot, host, port) || introduce(robot, xml)) {
        snprintf(error, UBERSIM_ERROR_SIZE, "%s", robot->error);
        ubersim_close(robot);
        return NULL;
    }
    return robot;
}

ubersim *ubersim_connect_file(const char *host, const char *port, const char *path, char error[UBERSIM_ERROR_SIZE])
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        snprintf(error, UBERSIM_ERROR_SIZE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    size_t size = 0, room = (32 << 20) + 1; /* a server takes no more than 32 MiB, unless it is told to */
    char *xml = calloc(room + 1, 1);
    if (xml)
        size = fread(xml, 1, room, file);
    fclose(file);
    ubersim *robot = NULL;
    if (!size || size == room)
        snprintf(error, UBERSIM_ERROR_SIZE, "%s: %s", path, size ? "larger than 32 MiB" : "cannot be read");
    else
        robot = ubersim_connect(host, port, xml, error);
    free(xml);
    return robot;
}

void ubersim_close(ubersim *robot)
{
    if (!robot)
        return;
    if (robot->socket >= 0)
        hang_up(robot->socket);
    free(robot->in.data);
    free(robot->out.data);
    free(robot->frame.data);
    if (robot->forget_parameters)
        robot->forget_parameters(robot);
    free(robot->parameters.data);
    free(robot->welcome);
    free(robot->end);
    free(robot);
}
