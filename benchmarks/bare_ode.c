/* The yardstick: the scenes of physics.py in plain ODE, as its manual would have one write them. Called as
   `bare_ode robots|boxes|rays COUNT STEPS`; waits for a line on stdin, runs, prints the seconds that took, and so on until the end. */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;

static void near_callback(void *data, dGeomID one, dGeomID other)
{
    (void)data;
    dBodyID a = dGeomGetBody(one), b = dGeomGetBody(other);
    if (a && b && dAreConnected(a, b)) return;
    dContact found[16];
    const int count = dCollide(one, other, 16, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; i++) {
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu = 0.8;
        dJointAttach(dJointCreateContact(world, contacts, &found[i]), a, b);
    }
}

static dBodyID add_body(double mass, double ix, double iy, double iz, double x, double y, double z)
{
    dBodyID body = dBodyCreate(world);
    dMass m;
    dMassSetParameters(&m, mass, 0, 0, 0, ix, iy, iz, 0, 0, 0);
    dBodySetMass(body, &m);
    dBodySetPosition(body, x, y, z);
    return body;
}

static void add_robot(double x, double y)
{
    dBodyID base = add_body(50, 5, 5, 3, x, y, 0.6);
    dGeomSetBody(dCreateBox(space, 0.4, 0.3, 0.8), base);
    for (int side = -1; side <= 1; side += 2) {
        dBodyID wheel = add_body(5, 0.1, 0.1, 0.1, x + 0.27 * side, y, 0.24);
        dGeomSetBody(dCreateSphere(space, 0.24), wheel);
        dJointID hinge = dJointCreateHinge(world, 0);
        dJointAttach(hinge, wheel, base);
        dJointSetHingeAnchor(hinge, x + 0.27 * side, y, 0.24);
        dJointSetHingeAxis(hinge, 1, 0, 0);
        dJointSetHingeParam(hinge, dParamVel, -1);
        dJointSetHingeParam(hinge, dParamFMax, 20);
    }
    dJointID upright = dJointCreateAMotor(world, 0); /* keeps the robot from falling, so that every step costs the same */
    dJointAttach(upright, base, 0);
    dJointSetAMotorNumAxes(upright, 1);
    dJointSetAMotorAxis(upright, 0, 1, 1, 0, 0);
    dJointSetAMotorParam(upright, dParamFMax, 1000);
}

static void add_box(int i)
{
    const double x = 0.3 * (i % 5) + 0.01 * (i % 7), y = 0.3 * (i / 5 % 5) + 0.01 * (i % 3), z = 0.13 + 0.27 * (i / 25);
    dGeomSetBody(dCreateBox(space, 0.25, 0.25, 0.25), add_body(1, 0.0104, 0.0104, 0.0104, x, y, z));
}

static void keep_nearest(void *data, dGeomID one, dGeomID other)
{
    dContactGeom hit;
    double *nearest = data;
    if (dCollide(one, other, 1, &hit, sizeof hit) && hit.depth < *nearest) *nearest = hit.depth;
}

/* A turn of a laser scanner: 1080 rays from above the middle, slightly downwards. */
static double scan(dGeomID ray, double middle)
{
    double sum = 0;
    for (int i = 0; i < 1080; i++) {
        const double angle = i * 2 * M_PI / 1080;
        double nearest = 30;
        dGeomRaySet(ray, middle, middle, 1.2, cos(angle), sin(angle), -0.1);
        dSpaceCollide2(ray, (dGeomID)space, &nearest, keep_nearest);
        sum += nearest;
    }
    return sum;
}

static void step(int quick)
{
    dSpaceCollide(space, 0, near_callback);
    if (quick)
        dWorldQuickStep(world, 0.001);
    else
        dWorldStep(world, 0.001);
    dJointGroupEmpty(contacts);
}

int main(int count_of_arguments, char **arguments)
{
    if (count_of_arguments != 4) return 1;
    const int boxes = !strcmp(arguments[1], "boxes"), rays = !strcmp(arguments[1], "rays"), count = atoi(arguments[2]), steps = atoi(arguments[3]);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world = dWorldCreate();
    space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    contacts = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    dWorldSetCFM(world, 1e-9);
    dCreatePlane(space, 0, 0, 1, 0);
    const int columns = (int)ceil(sqrt(count));
    for (int i = 0; i < count; i++) {
        if (boxes)
            add_box(i);
        else
            add_robot(2.0 * (i % columns), 2.0 * (i / columns));
    }
    dGeomID ray = dCreateRay(0, 30);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        double sum = 0; /* printed, so that the compiler cannot leave the rays out */
        for (int i = 0; i < steps; i++) {
            if (rays)
                sum += scan(ray, columns - 1.0);
            else
                step(boxes);
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%.9f %g\n", (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec), sum / steps);
        fflush(stdout);
    }
    return 0;
}
