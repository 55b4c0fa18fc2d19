/* Moves twenty servos, as benchmarks/performance/documents.py has them: servo_client HOST PORT XML
 *
 * Reads all joints in every frame, and sets all targets fifty times per second. */
#include <math.h>
#include <stdio.h>

#include "ubersim.h"

enum { JOINTS = 20, TARGET = 32, EVERY = 20 };

int main(int argc, char **argv)
{
    char error[UBERSIM_ERROR_SIZE], servo[16], sensor[16];
    ubersim *robot = argc == 4 ? ubersim_connect_file(argv[1], argv[2], argv[3], error) : NULL;
    if (!robot) {
        fprintf(stderr, "%s\n", argc == 4 ? error : "usage: servo_client HOST PORT XML");
        return 1;
    }
    double sum = 0;
    for (long frame = 0; ubersim_next_frame(robot) > 0; frame++)
        for (int i = 0; i < JOINTS; i++) {
            size_t size;
            float angle = 0;
            snprintf(sensor, sizeof sensor, "Sensor%d", i);
            const unsigned char *bytes = ubersim_bytes(robot, sensor, &size);
            if (bytes)
                sum += bytes[0];
            if (frame % EVERY)
                continue;
            angle = 0.3f * (float)sin(0.05 * (double)frame + i);
            snprintf(servo, sizeof servo, "Servo%d", i);
            ubersim_set(robot, servo, TARGET, angle);
        }
    printf("%g\n", sum);
    ubersim_close(robot);
    return 0;
}
