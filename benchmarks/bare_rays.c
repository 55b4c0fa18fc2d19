/* The yardstick for laser scanners: the room of sensors.py in plain ODE, as its manual would have one cast rays. Called as
   `bare_rays BEAMS FOV SCANS`; waits for a line on stdin, scans, prints the seconds that took and the sum of one scan's distances,
   and so on until the end. */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void keep_nearest(void *data, dGeomID one, dGeomID other)
{
    double *nearest = data;
    dContactGeom hit;
    if (dCollide(one, other, 1, &hit, sizeof hit) && hit.depth < *nearest) *nearest = hit.depth;
}

static void add_box(dSpaceID space, double x, double y, double z, double width, double depth, double height)
{
    dGeomSetPosition(dCreateBox(space, width, depth, height), x, y, z);
}

static void furnish(dSpaceID space)
{
    dCreatePlane(space, 0, 0, 1, 0);
    add_box(space, 5.5, 0, 0.5, 1, 10, 1);
    add_box(space, -5.5, 0, 0.5, 1, 10, 1);
    add_box(space, 0, 5.5, 0.5, 12, 1, 1);
    add_box(space, 0, -5.5, 0.5, 12, 1, 1);
    for (int i = 0; i < 20; i++) {
        const double angle = 0.3 + i * 0.31, distance = 2 + 0.12 * i;
        add_box(space, distance * cos(angle), distance * sin(angle), 0.25, 0.3, 0.3, 0.5);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments)
{
    if (count != 4) return 1;
    const int beams = atoi(arguments[1]), scans = atoi(arguments[3]);
    const double fov = atof(arguments[2]) * M_PI / 180;
    const int gaps = fov > 6.28 ? beams : beams - 1;
    dInitODE2(0);
    dSpaceID space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    furnish(space);
    dGeomID ray = dCreateRay(0, 30);
    float *distances = malloc((size_t)beams * sizeof *distances);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        const double start = now();
        for (int scan = 0; scan < scans; scan++)
            for (int i = 0; i < beams; i++) {
                const double angle = fov * (i / (double)gaps - 0.5);
                double nearest = INFINITY;
                dGeomRaySet(ray, 0, 0, 0.3, -sin(angle), cos(angle), 0);
                dSpaceCollide2(ray, (dGeomID)space, &nearest, keep_nearest);
                distances[i] = (float)nearest;
            }
        const double seconds = now() - start;
        double sum = 0;
        for (int i = 0; i < beams; i++) sum += distances[i];
        printf("%.9f %.6f\n", seconds, sum);
        fflush(stdout);
    }
    return 0;
}
