/* The yardstick: a scene of benchmarks/scenes/as_text.py in plain ODE, as its manual would have one write it. Called as
   `bare_ode SCENE exact|quick|rays STEPS SECONDS`; waits for a line on stdin, runs that many steps (or scans), or fewer when that much
   processor time has passed, prints how many, the processor's and the clock's seconds that took, and so on until the end. */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CONTACTS = 16, MOST_MATERIALS = 64 };

typedef struct {
    int owner, self_collision, material;
} label;

static dWorldID world;
static dSpaceID space;
static dJointGroupID contacts;
static dSurfaceParameters surfaces[MOST_MATERIALS][MOST_MATERIALS];
static double step_size;
static dBodyID *bodies;
static int body_count;

static void near_callback(void *data, dGeomID one, dGeomID other)
{
    (void)data;
    dBodyID a = dGeomGetBody(one), b = dGeomGetBody(other);
    const label *first = dGeomGetData(one), *second = dGeomGetData(other);
    if (!a && !b) return;
    if (first->owner == second->owner && !(first->self_collision && second->self_collision)) return;
    if (a && b && dAreConnected(a, b)) return;
    dContact found[MOST_CONTACTS];
    const int count = dCollide(one, other, MOST_CONTACTS, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; i++) {
        found[i].surface = surfaces[first->material][second->material];
        dJointAttach(dJointCreateContact(world, contacts, &found[i]), a, b);
    }
}

/* Scenes */

static double number(FILE *file)
{
    double value;
    if (fscanf(file, "%lf", &value) != 1) exit(2);
    return value;
}

static void numbers(FILE *file, int count, double *values)
{
    for (int i = 0; i < count; i++) values[i] = number(file);
}

static void rotation(FILE *file, dMatrix3 matrix)
{
    for (int i = 0; i < 12; i++) matrix[i] = i % 4 == 3 ? 0 : number(file);
}

static void read_world(FILE *file)
{
    double v[6];
    numbers(file, 6, v);
    step_size = v[0];
    dWorldSetGravity(world, v[1], v[2], v[3]);
    dWorldSetERP(world, v[4]);
    dWorldSetCFM(world, v[5]);
}

static void read_surface(FILE *file)
{
    double v[7];
    numbers(file, 7, v);
    dSurfaceParameters s = {.mode = dContactApprox1, .mu = v[2]};
    if (v[3] > 0) s.mode |= dContactBounce, s.bounce = v[3], s.bounce_vel = v[4];
    if (v[5] > 0) s.mode |= dContactRolling, s.rho = s.rho2 = v[5], s.rhoN = v[6];
    surfaces[(int)v[0]][(int)v[1]] = surfaces[(int)v[1]][(int)v[0]] = s;
}

static void read_body(FILE *file)
{
    double v[10];
    numbers(file, 10, v);
    dBodyID body = dBodyCreate(world);
    dMass m;
    dMassSetParameters(&m, v[0], 0, 0, 0, v[1], v[2], v[3], v[4], v[5], v[6]);
    dBodySetMass(body, &m);
    dBodySetPosition(body, v[7], v[8], v[9]);
    dMatrix3 turn;
    rotation(file, turn);
    dBodySetRotation(body, turn);
    numbers(file, 6, v);
    dBodySetLinearVel(body, v[0], v[1], v[2]);
    dBodySetAngularVel(body, v[3], v[4], v[5]);
    bodies = realloc(bodies, (size_t)(body_count + 1) * sizeof *bodies);
    bodies[body_count++] = body;
}

static void read_shape(FILE *file)
{
    double v[12];
    dMatrix3 turn;
    numbers(file, 12, v);
    rotation(file, turn);
    label *about = malloc(sizeof *about);
    *about = (label){(int)v[2], (int)v[3], (int)v[4]};
    dGeomID geom;
    switch ((int)v[0]) {
    case 0: geom = dCreateBox(space, v[5], v[6], v[7]); break;
    case 1: geom = dCreateSphere(space, v[5]); break;
    case 2: geom = dCreateCapsule(space, v[5], v[6]); break;
    case 3: geom = dCreateCylinder(space, v[5], v[6]); break;
    default: geom = dCreatePlane(space, v[5], v[6], v[7], v[8]);
    }
    dGeomSetData(geom, about);
    if (v[1] >= 0) {
        dGeomSetBody(geom, bodies[(int)v[1]]);
        const double *at = dBodyGetPosition(bodies[(int)v[1]]);
        if (at[0] == v[9] && at[1] == v[10] && at[2] == v[11] && !memcmp(dBodyGetRotation(bodies[(int)v[1]]), turn, sizeof turn)) return;
        dGeomSetOffsetWorldPosition(geom, v[9], v[10], v[11]);
        dGeomSetOffsetWorldRotation(geom, turn);
    } else if ((int)v[0] != 4) {
        dGeomSetPosition(geom, v[9], v[10], v[11]);
        dGeomSetRotation(geom, turn);
    }
}

/* Kinds are numbered as in ubersim/physics/joint.py. */
enum { BALL, HINGE, HINGE2, SLIDER, UNIVERSAL, FIXED, AMOTOR };

static int last_kind;
static dJointID last_joint;

static void read_joint(FILE *file)
{
    double v[7], a[9] = {0};
    numbers(file, 7, v);
    numbers(file, 3 * (int)v[6], a);
    dJointID (*const create[])(dWorldID, dJointGroupID) = {dJointCreateBall,      dJointCreateHinge, dJointCreateHinge2, dJointCreateSlider,
                                                           dJointCreateUniversal, dJointCreateFixed, dJointCreateAMotor};
    last_kind = (int)v[0];
    dJointID j = last_joint = create[last_kind](world, 0);
    dJointAttach(j, bodies[(int)v[1]], v[2] < 0 ? 0 : bodies[(int)v[2]]);
    switch (last_kind) {
    case BALL: dJointSetBallAnchor(j, v[3], v[4], v[5]); break;
    case HINGE:
        dJointSetHingeAnchor(j, v[3], v[4], v[5]);
        dJointSetHingeAxis(j, a[0], a[1], a[2]);
        break;
    case HINGE2:
        dJointSetHinge2Anchor(j, v[3], v[4], v[5]);
        dJointSetHinge2Axes(j, (dVector3){a[0], a[1], a[2]}, (dVector3){a[3], a[4], a[5]});
        break;
    case SLIDER: dJointSetSliderAxis(j, a[0], a[1], a[2]); break;
    case UNIVERSAL:
        dJointSetUniversalAnchor(j, v[3], v[4], v[5]);
        dJointSetUniversalAxis1(j, a[0], a[1], a[2]);
        dJointSetUniversalAxis2(j, a[3], a[4], a[5]);
        break;
    case FIXED: dJointSetFixed(j); break;
    default:
        dJointSetAMotorMode(j, dAMotorUser);
        dJointSetAMotorNumAxes(j, (int)v[6]);
        for (int i = 0; i < (int)v[6]; i++) dJointSetAMotorAxis(j, i, 1, a[3 * i], a[3 * i + 1], a[3 * i + 2]);
    }
}

static void read_property(FILE *file)
{
    void (*const set[])(dJointID, int, dReal) = {dJointSetBallParam,      dJointSetHingeParam, dJointSetHinge2Param, dJointSetSliderParam,
                                                 dJointSetUniversalParam, dJointSetFixedParam, dJointSetAMotorParam};
    double v[2];
    numbers(file, 2, v);
    set[last_kind](last_joint, (int)v[0], v[1]);
}

static void read_scene(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) exit(2);
    char word[16];
    while (fscanf(file, "%15s", word) == 1) {
        if (!strcmp(word, "world"))
            read_world(file);
        else if (!strcmp(word, "surface"))
            read_surface(file);
        else if (!strcmp(word, "body"))
            read_body(file);
        else if (!strcmp(word, "shape"))
            read_shape(file);
        else if (!strcmp(word, "joint"))
            read_joint(file);
        else if (!strcmp(word, "set"))
            read_property(file);
        else
            number(file); /* how many materials there are */
    }
    fclose(file);
}

/* Steps and scans */

static void step(int quick)
{
    dSpaceCollide(space, 0, near_callback);
    if (quick)
        dWorldQuickStep(world, step_size);
    else
        dWorldStep(world, step_size);
    dJointGroupEmpty(contacts);
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

/* Where the robots of a square grid with 2 m between neighbours, three bodies each, have their middle. */
static double middle_of_grid(void) { return ceil(sqrt(body_count / 3.0)) - 1; }

/* Failures of the LCP solver are not fatal, and ODE goes on with what it has. */
static void say_nothing(int number_of_message, const char *text, va_list values) { (void)number_of_message, (void)text, (void)values; }

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count_of_arguments, char **arguments)
{
    if (count_of_arguments != 5) return 1;
    const int quick = !strcmp(arguments[2], "quick"), rays = !strcmp(arguments[2], "rays"), steps = atoi(arguments[3]);
    const double most = atof(arguments[4]);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetMessageHandler(say_nothing);
    world = dWorldCreate();
    space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    contacts = dJointGroupCreate(0);
    read_scene(arguments[1]);
    dGeomID ray = dCreateRay(0, 30);
    char line[16];
    while (fgets(line, sizeof line, stdin)) {
        const double start = seconds(CLOCK_PROCESS_CPUTIME_ID), began = seconds(CLOCK_MONOTONIC);
        double sum = 0, passed = 0; /* the sum is printed, so that the compiler cannot leave the rays out */
        int done = 0;
        for (; done < steps && passed < most; done++) {
            if (rays)
                sum += scan(ray, middle_of_grid());
            else
                step(quick);
            passed = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
        }
        printf("%d %.9f %.9f %g\n", done, passed, seconds(CLOCK_MONOTONIC) - began, sum);
        fflush(stdout);
    }
    return 0;
}
