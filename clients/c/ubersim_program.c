/* Parameters and logs of a program: see the end of ubersim.h, and docs/protocol.md for the bytes. */
#define _POSIX_C_SOURCE 200809L

#include "ubersim_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 'n', SWITCH = 's', TEXT = 't' }; /* kinds of parameters */

typedef struct {
    char *name, *text; /* the text of a TEXT */
    double value;
    int kind;
} parameter;

/* Parameters. What they are is JSON; a program's own is written here, the server's is a single value. */

static parameter *find_parameter(const ubersim *robot, const char *name)
{
    parameter *known = (parameter *)robot->parameters.data;
    for (size_t i = 0; i < robot->parameters.size / sizeof *known; i++)
        if (!strcmp(known[i].name, name))
            return &known[i];
    return NULL;
}

static char *copied(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

static int take_parameter(ubersim *robot, const reading *found);

static void forget_parameters(ubersim *robot)
{
    parameter *known = (parameter *)robot->parameters.data;
    for (size_t i = 0; i < robot->parameters.size / sizeof *known; i++)
        free(known[i].name), free(known[i].text);
}

static int remember(ubersim *robot, const char *name, int kind, double value, const char *text)
{
    robot->take_parameter = take_parameter;
    robot->forget_parameters = forget_parameters;
    char *own_text = copied(text, strlen(text));
    parameter *known = find_parameter(robot, name);
    if (own_text && !known && !ubersim_reserve(robot, &robot->parameters, sizeof *known)) {
        known = (parameter *)(robot->parameters.data + robot->parameters.size);
        *known = (parameter){.name = copied(name, strlen(name))};
        if (known->name)
            robot->parameters.size += sizeof *known;
        else
            known = NULL;
    }
    if (!own_text || !known) {
        free(own_text);
        return ubersim_fail(robot, "out of memory", NULL);
    }
    free(known->text);
    known->text = own_text, known->kind = kind, known->value = value;
    return 0;
}

/* JSON that is put together; what does not fit any more is an error at its end. */
typedef struct {
    char text[60000];
    size_t size;
    int full;
} json;

static void write_raw(json *to, const char *text, size_t size)
{
    to->full = to->full || size >= sizeof to->text - to->size;
    if (to->full)
        return;
    memcpy(to->text + to->size, text, size);
    to->size += size;
}

static void write_text(json *to, const char *text)
{
    write_raw(to, "\"", 1);
    for (; *text; text++) {
        char escaped[8];
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            write_raw(to, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned char)*text));
        else
            write_raw(to, text, 1);
    }
    write_raw(to, "\"", 1);
}

static void write_key(json *to, const char *key)
{
    write_raw(to, to->size > 1 ? "," : "", to->size > 1);
    write_text(to, key);
    write_raw(to, ":", 1);
}

static void write_number(json *to, const char *key, double value)
{
    char digits[32];
    size_t size = (size_t)snprintf(digits, sizeof digits, "%.17g", value);
    for (size_t i = 0; i < size; i++)
        if (digits[i] == ',')
            digits[i] = '.'; /* of another locale */
    write_key(to, key);
    write_raw(to, digits, size);
}

static json *begin_declaration(ubersim *robot, const char *name, const char *kind)
{
    json *to = malloc(sizeof *to);
    if (!to) {
        ubersim_fail(robot, "out of memory", NULL);
        return NULL;
    }
    to->size = 0, to->full = 0;
    write_raw(to, "{", 1);
    write_key(to, "name"), write_text(to, name);
    write_key(to, "kind"), write_text(to, kind);
    return to;
}

static int end_declaration(ubersim *robot, json *to, const char *name)
{
    write_raw(to, "}", 1);
    int outcome = to->full ? ubersim_fail(robot, "a parameter is too long", name) : ubersim_send(robot, "Declare", to->text, to->size);
    free(to);
    return outcome;
}

int ubersim_declare_number(ubersim *robot, const char *name, double value, double low, double high)
{
    if (!isfinite(value))
        return ubersim_fail(robot, "a parameter is not finite", name);
    json *to = begin_declaration(robot, name, "number");
    if (!to)
        return -1;
    write_number(to, "value", value);
    if (isfinite(low))
        write_number(to, "low", low);
    if (isfinite(high))
        write_number(to, "high", high);
    return end_declaration(robot, to, name) ? -1 : remember(robot, name, NUMBER, value, "");
}

int ubersim_declare_switch(ubersim *robot, const char *name, int on)
{
    json *to = begin_declaration(robot, name, "bool");
    if (!to)
        return -1;
    write_key(to, "value"), write_raw(to, on ? "true" : "false", on ? 4 : 5);
    return end_declaration(robot, to, name) ? -1 : remember(robot, name, SWITCH, on != 0, "");
}

int ubersim_declare_choice(ubersim *robot, const char *name, const char *value, const char *const *choices)
{
    json *to = begin_declaration(robot, name, "choice");
    if (!to)
        return -1;
    write_key(to, "value"), write_text(to, value);
    write_key(to, "choices"), write_raw(to, "[", 1);
    for (size_t i = 0; choices[i]; i++) {
        write_raw(to, ",", i > 0);
        write_text(to, choices[i]);
    }
    write_raw(to, "]", 1);
    return end_declaration(robot, to, name) ? -1 : remember(robot, name, TEXT, NAN, value);
}

int ubersim_declare_text(ubersim *robot, const char *name, const char *value)
{
    json *to = begin_declaration(robot, name, "text");
    if (!to)
        return -1;
    write_key(to, "value"), write_text(to, value);
    return end_declaration(robot, to, name) ? -1 : remember(robot, name, TEXT, NAN, value);
}

double ubersim_parameter(const ubersim *robot, const char *name)
{
    const parameter *known = find_parameter(robot, name);
    return known && known->kind != TEXT ? known->value : NAN;
}

const char *ubersim_parameter_text(const ubersim *robot, const char *name)
{
    const parameter *known = find_parameter(robot, name);
    return known && known->kind == TEXT ? known->text : NULL;
}

static size_t put_utf8(char *to, uint32_t code)
{
    if (code < 0x80)
        return to[0] = (char)code, 1;
    if (code < 0x800)
        return to[0] = (char)(0xc0 | code >> 6), to[1] = (char)(0x80 | (code & 0x3f)), 2;
    if (code < 0x10000)
        return to[0] = (char)(0xe0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 0x3f)), to[2] = (char)(0x80 | (code & 0x3f)), 3;
    to[0] = (char)(0xf0 | code >> 18), to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    return to[2] = (char)(0x80 | (code >> 6 & 0x3f)), to[3] = (char)(0x80 | (code & 0x3f)), 4;
}

static int hex4(const char *from, uint32_t *code)
{
    char digits[5] = {from[0], from[1], from[2], from[3], 0}, *end;
    *code = (uint32_t)strtoul(digits, &end, 16);
    return end == digits + 4;
}

/* A JSON text without its quotes, unescaped where it is; 0 if it is none. What comes out is never longer than what was there. */
static int unescape(char *text, size_t size)
{
    static const char ESCAPES[] = "\"\\/bfnrt";
    char *to = text;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\\') {
            *to++ = text[i];
            continue;
        }
        if (++i >= size)
            return 0;
        const char *plain = strchr(ESCAPES, text[i]);
        if (plain && *plain) {
            *to++ = "\"\\/\b\f\n\r\t"[plain - ESCAPES];
            continue;
        }
        uint32_t code, second;
        if (text[i] != 'u' || i + 4 >= size || !hex4(text + i + 1, &code))
            return 0;
        i += 4;
        if (code >= 0xd800 && code < 0xdc00 && i + 6 < size && text[i + 1] == '\\' && hex4(text + i + 3, &second)) {
            code = 0x10000 + ((code - 0xd800) << 10 | (second - 0xdc00));
            i += 6;
        }
        to += put_utf8(to, code);
    }
    *to = 0;
    return 1;
}

/* The server has changed a parameter: time, name, NUL, JSON. */
static int take_parameter(ubersim *robot, const reading *found)
{
    const char *payload = (const char *)robot->in.data + found->payload;
    const char *name = payload + TIME_SIZE;
    const char *nul = found->size > TIME_SIZE ? memchr(name, 0, found->size - TIME_SIZE) : NULL;
    if (!nul)
        return ubersim_fail(robot, "the server sends a Parameter without a name", NULL);
    parameter *known = find_parameter(robot, name);
    if (!known)
        return 0; /* declared by ubersim_send */
    size_t size = found->size - (size_t)(nul + 1 - payload);
    char *value = copied(nul + 1, size);
    if (!value)
        return ubersim_fail(robot, "out of memory", NULL);
    int fine;
    if (known->kind == TEXT) {
        fine = size >= 2 && value[0] == '"' && value[size - 1] == '"';
        if (fine) {
            memmove(value, value + 1, size - 2);
            value[size - 2] = 0;
            fine = unescape(value, size - 2);
        }
    } else {
        char *end = value;
        known->value = known->kind == SWITCH ? !strcmp(value, "true") : strtod(value, &end);
        fine = known->kind == SWITCH || (size && !*end);
    }
    int outcome = fine ? 0 : ubersim_fail(robot, "the server sends a parameter that cannot be read", name);
    if (fine && known->kind == TEXT) {
        free(known->text);
        known->text = value;
        value = NULL;
    }
    free(value);
    return outcome;
}

/* Logging */

enum { LOG_NUMBER = 1, LOG_VECTOR, LOG_TEXT, LOG_IMAGE, LOG_POINTS, LOG_DRAWING, LOG_MORE = 128 };

/* In parts, if it is longer than a message; `head` comes before the bytes. */
static int log_bytes(ubersim *robot, const char *name, int kind, const void *head, size_t head_size, const void *bytes, size_t size)
{
    if (!robot->says_whether_listened) {
        robot->says_whether_listened = 1;
        if (ubersim_declare_switch(robot, "Log", 1))
            return -1;
    }
    if (ubersim_parameter(robot, "Log") == 0)
        return 0;
    const size_t named = strlen(name) + 1, room = LONGEST_SENT - sizeof "Log" - named - 1;
    if (named > 129 || head_size > room)
        return ubersim_fail(robot, "a name is too long to be logged", name);
    unsigned char *payload = malloc(named + 1 + (head_size + size < room ? head_size + size : room));
    if (!payload)
        return ubersim_fail(robot, "out of memory", NULL);
    memcpy(payload, name, named);
    int outcome = 0;
    for (size_t done = 0, first = 1; !outcome && (first || done < size); first = 0) {
        size_t start = named + 1;
        if (first && head_size) {
            memcpy(payload + start, head, head_size);
            start += head_size;
        }
        const size_t left = size - done, fits = named + 1 + room - start, part = left < fits ? left : fits;
        payload[named] = (unsigned char)(kind | (left > part ? LOG_MORE : 0));
        if (part)
            memcpy(payload + start, (const unsigned char *)bytes + done, part);
        done += part;
        outcome = ubersim_send(robot, "Log", payload, start + part);
    }
    free(payload);
    return outcome;
}

int ubersim_log_vector(ubersim *robot, const char *name, const double *values, size_t count)
{
    unsigned char *bytes = malloc(count * TIME_SIZE + 1);
    if (!bytes)
        return ubersim_fail(robot, "out of memory", NULL);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        ubersim_put_bits(bytes + TIME_SIZE * i, bits, TIME_SIZE);
    }
    int outcome = log_bytes(robot, name, LOG_VECTOR, NULL, 0, bytes, count * TIME_SIZE);
    free(bytes);
    return outcome;
}

int ubersim_log_number(ubersim *robot, const char *name, double value)
{
    unsigned char bytes[TIME_SIZE];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ubersim_put_bits(bytes, bits, sizeof bytes);
    return log_bytes(robot, name, LOG_NUMBER, NULL, 0, bytes, sizeof bytes);
}

int ubersim_log_text(ubersim *robot, const char *name, int level, const char *text)
{
    const unsigned char head = (unsigned char)level;
    return log_bytes(robot, name, LOG_TEXT, &head, 1, text, strlen(text));
}

int ubersim_log_image(ubersim *robot, const char *name, const void *file, size_t size)
{
    return log_bytes(robot, name, LOG_IMAGE, NULL, 0, file, size);
}

int ubersim_log_points(ubersim *robot, const char *name, const char *space, const float *xyz, size_t count)
{
    unsigned char *bytes = malloc(12 * count + 1);
    if (!bytes)
        return ubersim_fail(robot, "out of memory", NULL);
    for (size_t i = 0; i < 3 * count; i++) {
        uint32_t bits;
        memcpy(&bits, &xyz[i], sizeof bits);
        ubersim_put_bits(bytes + 4 * i, bits, 4);
    }
    int outcome = log_bytes(robot, name, LOG_POINTS, space, strlen(space) + 1, bytes, 12 * count);
    free(bytes);
    return outcome;
}

int ubersim_log_drawing(ubersim *robot, const char *name, const char *drawn)
{
    return log_bytes(robot, name, LOG_DRAWING, NULL, 0, drawn, strlen(drawn));
}
