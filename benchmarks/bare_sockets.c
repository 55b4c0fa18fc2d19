/* What the system's sockets alone take: clients in processes of their own that answer frames which nobody computes.
 *
 *     bare_sockets CLIENTS FRAMES_AT_ONCE FRAMES
 *
 * prints the time of a frame by the clock, in the best of many stretches, and the server's processor time of one [us]. Over TCP on one
 * machine; a frame and its answer have the bytes of a Segway's: time and tilt, two commands and an ack. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FRAME = 22 + 13 + 13, ANSWER = 2 * 19 + 16, STRETCH = 200, MOST = 65536 };
static char bytes[MOST];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double processor(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void need(int fine, const char *what)
{
    if (fine) return;
    perror(what);
    exit(1);
}

static int no_delay(int descriptor)
{
    const int on = 1;
    need(descriptor >= 0 && !setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "socket");
    return descriptor;
}

/* So many bytes; 0 if no more come. */
static int take(int descriptor, ssize_t count)
{
    for (ssize_t got; count > 0; count -= got)
        if ((got = recv(descriptor, bytes, (size_t)count, 0)) <= 0) return 0;
    return 1;
}

static void answer(const struct sockaddr_in *address, int at_once)
{
    const int descriptor = no_delay(socket(AF_INET, SOCK_STREAM, 0));
    need(!connect(descriptor, (const struct sockaddr *)address, sizeof *address), "connect");
    while (take(descriptor, at_once * FRAME))
        if (send(descriptor, bytes, (size_t)(at_once * ANSWER), MSG_NOSIGNAL) < 0) break;
    _exit(0);
}

int main(int argc, char **argv)
{
    need(argc == 4, "three numbers");
    const int clients = atoi(argv[1]), at_once = atoi(argv[2]), frames = atoi(argv[3]);
    need(clients > 0 && at_once > 0 && at_once * ANSWER <= MOST && frames >= STRETCH, "numbers");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int door = socket(AF_INET, SOCK_STREAM, 0);
    need(!bind(door, (struct sockaddr *)&address, size) && !listen(door, clients), "listen");
    need(!getsockname(door, (struct sockaddr *)&address, &size), "getsockname");
    int *sockets = calloc((size_t)clients, sizeof *sockets);
    for (int i = 0; i < clients; i++) {
        const pid_t child = fork();
        need(child >= 0, "fork");
        if (!child) answer(&address, at_once);
        sockets[i] = no_delay(accept(door, NULL, NULL));
    }
    double best = 1e9;
    const double before = processor();
    int done = 0;
    while (done < frames) {
        const double start = now();
        int stretch = 0;
        for (; stretch < STRETCH; stretch += at_once) {
            for (int i = 0; i < clients; i++) need(send(sockets[i], bytes, (size_t)(at_once * FRAME), 0) > 0, "send");
            for (int i = 0; i < clients; i++) need(take(sockets[i], at_once * ANSWER), "recv");
        }
        const double each = (now() - start) / stretch;
        if (each < best) best = each;
        done += stretch;
    }
    printf("%.2f %.2f\n", 1e6 * best, 1e6 * (processor() - before) / done);
    return 0;
}
