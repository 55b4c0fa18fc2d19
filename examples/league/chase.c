/* A middle size robot that runs after the ball while it is in play, and kicks it: one of two programs of a team.
 *
 *     cc -std=c99 -O2 -I ../../clients/c chase.c ../../clients/c/ubersim.c -lm -o chase
 *     ./chase robot.xml 127.0.0.1 9040
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ubersim.h"

enum { PLAY = 3, COLUMNS = 5, KICK = 42 };
static const float REACH = 0.40f, SPEED = 1.2f;

/* The welcome has a legend: "7": "Ball". */
static int number_of_ball(const char *welcome)
{
    const char *at = strstr(welcome, "\"Ball\"");
    if (!at) return -1;
    for (at--; at > welcome && *at != '"'; at--) {}
    for (at--; at > welcome && *at != '"'; at--) {}
    return atoi(at + 1);
}

static void drive(ubersim *robot, float right, float forward, float turning)
{
    const char *const wheels[] = {"Right", "Left", "Rear"};
    const float azimuths[] = {0.523599f, 2.617994f, 4.712389f};
    for (int i = 0; i < 3; i++)
        ubersim_set(robot, wheels[i], UBERSIM_VEL, (forward * cosf(azimuths[i]) - right * sinf(azimuths[i]) + 0.17f * turning) / 0.05f);
}

int main(int count, char **words)
{
    char error[UBERSIM_ERROR_SIZE];
    if (count != 4) return fprintf(stderr, "usage: %s ROBOT.xml HOST PORT\n", words[0]), 2;
    ubersim *robot = ubersim_connect_file(words[2], words[3], words[1], error);
    if (!robot) return fprintf(stderr, "%s\n", error), 1;
    const int ball = number_of_ball(ubersim_welcome(robot));
    int playing = 0, more;
    while ((more = ubersim_next_frame(robot)) > 0) {
        size_t size;
        float told, row[COLUMNS];
        const unsigned char *bytes = ubersim_bytes(robot, "Referee", &size);
        if (bytes) {
            memcpy(&told, bytes, sizeof told);
            playing = told == PLAY;
            if (!playing) drive(robot, 0, 0, 0);
        }
        bytes = ubersim_bytes(robot, "OmniCam", &size);
        for (size_t at = 0; bytes && playing && at + sizeof row <= size; at += sizeof row) {
            memcpy(row, bytes + at, sizeof row);
            if ((int)row[0] != ball) continue;
            /* The camera looks up: its forward is the robot's up, and its up the robot's back. */
            const float right = -row[3] * cosf(row[2]) * sinf(row[1]), forward = -row[3] * sinf(row[2]);
            const float distance = hypotf(right, forward), speed = fminf(SPEED, 2 * distance);
            drive(robot, speed * right / distance, speed * forward / distance, 3 * atan2f(-right, forward));
            if (distance < REACH && fabsf(right) < 0.08f) ubersim_set(robot, "Kicker", KICK, 1);
        }
    }
    if (more < 0) fprintf(stderr, "%s\n", ubersim_error(robot));
    ubersim_close(robot);
    return more < 0;
}
