/* Balances the Segway with a PD controller, the paper's client: segway_pd HOST PORT XML FRAMES [SCRIPT [KP KD]]
 *
 * FRAMES 0 goes on until the server ends. SCRIPT gives leans beyond the balance angle: with "5:2,7:-2,9:0" it leans
 * 2 degrees back from 5 s on, forward from 7 s on, and balances again from 9 s on.
 * The same law and the same arithmetic as ubersim/control/balancer.py, where it is explained: both send the same bits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ubersim.h"

#define KP 200.0       /* wheel acceleration per tilt [1/s^2] */
#define KD 40.0        /* wheel acceleration per rate of tilt [1/s] */
#define BALANCE 4.0    /* tilt at which the centre of mass is above the axle [degrees] */
#define TOP_SPEED 14.9 /* of a wheel [rad/s] */
#define PERIOD 0.01    /* between two tilt readings [s] */

static double radians(double degrees)
{
    return degrees * (3.14159265358979323846 / 180.0);
}

/* The lean that the script wants at this time [degrees]; its entries are in order of time. */
static double lean_at(const char *script, double now)
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
    double last = 0.0, speed = 0.0, largest = 0.0;
    long count = 0;
    int sensed = 0, status;
    while ((status = ubersim_next_frame(robot)) > 0) {
        float tilt;
        if (ubersim_float(robot, "Tilt", &tilt)) {
            double wanted = radians(BALANCE) + radians(lean_at(script, ubersim_time(robot)));
            double rate = sensed ? (tilt - last) / PERIOD : 0.0;
            double acceleration = kp * (wanted - tilt) - kd * rate;
            speed = limited(speed + acceleration * PERIOD, TOP_SPEED);
            ubersim_set(robot, "LMotor", UBERSIM_VEL, (float)speed);
            ubersim_set(robot, "RMotor", UBERSIM_VEL, (float)speed);
            last = tilt;
            sensed = 1;
            largest = fabs(last) > largest ? fabs(last) : largest;
        }
        if (++count == frames)
            break;
    }
    if (status < 0)
        fprintf(stderr, "%s\n", ubersim_error(robot));
    printf("%ld frames, largest tilt %.4f rad, last tilt %.4f rad, last speed %.4f rad/s\n", count, largest, last, speed);
    ubersim_close(robot);
    return status < 0;
}
