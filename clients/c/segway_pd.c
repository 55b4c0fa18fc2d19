/* Balances the Segway with a PD controller, the paper's client: segway_pd HOST PORT XML FRAMES [SCRIPT [KP KD]]
 *
 * SCRIPT gives the desired lean over time: "2:-0.05,3:0.05,4:0" leans back (nose up is positive) by 0.05 rad from 2 s on, and
 * so on. Without FRAMES (0) it goes on until the server ends.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ubersim.h"

#define KP 300.0       /* wheel acceleration per lean [1/s^2] */
#define KD 60.0        /* wheel acceleration per rate of the lean [1/s] */
#define TOP_SPEED 14.9 /* of a wheel [rad/s] */

/* The lean that the script wants at this time; the script's entries are in order of time. */
static double desired_lean(const char *script, double now)
{
    double lean = 0.0;
    while (script && *script) {
        char *end;
        double from = strtod(script, &end);
        if (end == script || *end != ':' || from > now)
            break;
        lean = strtod(end + 1, &end);
        script = *end == ',' ? end + 1 : NULL;
    }
    return lean;
}

static double limited(double value, double limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc == 7 || argc > 8) {
        fprintf(stderr, "usage: %s HOST PORT XML FRAMES [SCRIPT [KP KD]]\n", argv[0]);
        return 2;
    }
    long frames = strtol(argv[4], NULL, 10);
    const char *script = argc > 5 ? argv[5] : NULL;
    double kp = argc > 7 ? strtod(argv[6], NULL) : KP;
    double kd = argc > 7 ? strtod(argv[7], NULL) : KD;

    char error[UBERSIM_ERROR_SIZE];
    ubersim *robot = ubersim_connect_file(argv[1], argv[2], argv[3], error);
    if (!robot) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    double tilt = 0.0, sensed = 0.0, speed = 0.0, largest = 0.0;
    int readings = 0, status;
    long count = 0;
    while ((status = ubersim_next_frame(robot)) > 0) {
        float reading;
        if (ubersim_float(robot, "Tilt", &reading)) {
            double now = ubersim_time(robot), passed = now - sensed;
            double error_angle = reading - desired_lean(script, now);
            double rate = readings && passed > 0.0 ? (reading - tilt) / passed : 0.0;
            /* Nose down is negative, and asks for driving forward, which is positive. */
            if (readings++)
                speed = limited(speed - passed * (kp * error_angle + kd * rate), TOP_SPEED);
            tilt = reading;
            sensed = now;
            largest = fabs(tilt) > largest ? fabs(tilt) : largest;
            ubersim_set(robot, "LMotor", UBERSIM_VEL, (float)speed);
            ubersim_set(robot, "RMotor", UBERSIM_VEL, (float)speed);
        }
        if (++count == frames)
            break;
    }
    if (status < 0)
        fprintf(stderr, "%s\n", ubersim_error(robot));
    printf("%ld frames, largest tilt %.4f rad, last tilt %.4f rad, last speed %.4f rad/s\n", count, largest, tilt, speed);
    ubersim_close(robot);
    return status < 0;
}
