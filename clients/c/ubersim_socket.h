/* The client's socket: connecting, sending, waiting for bytes, leaving. A part of ubersim.c, which is its only user. */
#ifndef UBERSIM_SOCKET_H
#define UBERSIM_SOCKET_H

#include "ubersim_inside.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST_NAPS = 1023, LOOKING = 200000, LEAVING = 2000 }; /* waits; nanoseconds; milliseconds */

static int open_unix_socket(ubersim *robot, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ubersim_fail(robot, "the path of the Unix socket is too long", path);
    strcpy(address.sun_path, path);
    robot->socket = socket(AF_UNIX, SOCK_STREAM, 0);
    if (robot->socket < 0 || connect(robot->socket, (struct sockaddr *)&address, sizeof address))
        return ubersim_fail(robot, "cannot connect", strerror(errno));
    return 0;
}

static int open_socket(ubersim *robot, const char *host, const char *port)
{
    if (!strncmp(host, "unix:", 5))
        return open_unix_socket(robot, host + 5);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *addresses;
    int problem = getaddrinfo(host, port, &hints, &addresses);
    if (problem)
        return ubersim_fail(robot, host, gai_strerror(problem));
    int last = 0;
    for (struct addrinfo *address = addresses; address && robot->socket < 0; address = address->ai_next) {
        int candidate = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (candidate >= 0 && !connect(candidate, address->ai_addr, address->ai_addrlen)) {
            robot->socket = candidate;
        } else {
            last = errno;
            if (candidate >= 0)
                close(candidate);
        }
    }
    freeaddrinfo(addresses);
    if (robot->socket < 0)
        return ubersim_fail(robot, "cannot connect", strerror(last));
    int yes = 1;
    setsockopt(robot->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return 0;
}

/* If the server has gone away, its last words may still be there to read: so that is no error yet. */
static void send_all(ubersim *robot)
{
    size_t sent = 0;
    while (sent < robot->out.size && !robot->lost) {
        ssize_t count = send(robot->socket, robot->out.data + sent, robot->out.size - sent, MSG_NOSIGNAL);
        if (count > 0)
            sent += (size_t)count;
        else if (errno != EINTR)
            robot->lost = 1;
    }
    robot->out.size = 0;
}

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* recv that looks for a while before it falls asleep: the answer is often here before a sleeping core has woken up.
   When that was in vain, the next waits are slept through at once: seven, then 63, then 511. */
static ssize_t wait_for_bytes(ubersim *robot, unsigned char *to, size_t room)
{
    if (robot->naps > 0) {
        robot->naps--;
        return recv(robot->socket, to, room, 0);
    }
    struct pollfd incoming = {.fd = robot->socket, .events = POLLIN};
    int64_t end = nanoseconds() + LOOKING;
    while (nanoseconds() < end)
        if (poll(&incoming, 1, 0)) {
            robot->pause = 0;
            return recv(robot->socket, to, room, 0);
        }
    robot->pause = robot->pause < MOST_NAPS / 8 ? 8 * robot->pause + 7 : MOST_NAPS;
    robot->naps = robot->pause;
    return recv(robot->socket, to, room, 0);
}

/* 1: more bytes are here; 0: no more will come; -1: failure. */
static int receive(ubersim *robot, size_t needed)
{
    buffer *in = &robot->in;
    if (ubersim_reserve(robot, in, needed > CHUNK ? needed : CHUNK))
        return -1;
    ssize_t count;
    do
        count = wait_for_bytes(robot, in->data + in->size, in->room - in->size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return ubersim_fail(robot, "connection lost", strerror(errno));
    in->size += (size_t)count;
    return count > 0;
}

/* Closed with something unread, the connection would be reset, and commands that are on their way would be lost. So the
   server is told that nothing more will come, and listened to until it has closed as well. */
static void hang_up(int socket)
{
    char rest[4096];
    struct pollfd incoming = {.fd = socket, .events = POLLIN};
    int64_t end = nanoseconds() + LEAVING * INT64_C(1000000), left;
    if (!shutdown(socket, SHUT_WR))
        while ((left = (end - nanoseconds()) / 1000000) > 0 && poll(&incoming, 1, (int)left) > 0)
            if (recv(socket, rest, sizeof rest, 0) <= 0)
                break;
    close(socket);
}

#endif
