/* A world's life: creation, the call that runs it, destruction. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

void *grown(void *memory, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) return memory;
    while (*capacity < needed) *capacity = *capacity ? 2 * *capacity : 64;
    memory = realloc(memory, (size_t)*capacity * size);
    if (!memory) abort(); /* out of memory: nothing sensible can follow */
    return memory;
}

void list_append(list *l, void *item)
{
    l->items = grown(l->items, &l->capacity, l->count + 1, sizeof(void *));
    l->items[l->count++] = item;
}

enum phase { COLLIDING, CONTACTING, SOLVING };

/* Every world has its own: ODE's default one is shared by all worlds, and two threads must be able to run two worlds. */
static void renew_threading(kernel *k)
{
    k->threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(k->world, dThreadingImplementationGetFunctions(k->threading), k->threading);
}

kernel *kernel_create(double step, const double *gravity, double erp, double cfm, int solver, int iterations, uint64_t seed,
                      int materials, const surface *surfaces)
{
    guard_install();
    kernel *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->step = step;
    memcpy(k->gravity, gravity, 3 * sizeof(double));
    k->solver = solver;
    k->seed = seed;
    k->materials = materials;
    k->surfaces = calloc((size_t)materials * (size_t)materials, sizeof *k->surfaces);
    for (int i = 0; i < materials * materials; i++) k->surfaces[i] = prepare_surface(&surfaces[i]);

    k->world = dWorldCreate();
    renew_threading(k);
    dWorldSetGravity(k->world, gravity[0], gravity[1], gravity[2]);
    dWorldSetERP(k->world, erp);
    dWorldSetCFM(k->world, cfm);
    dWorldSetQuickStepNumIterations(k->world, iterations);
    dWorldSetAutoDisableFlag(k->world, 0);
    k->space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    dSpaceSetCleanup(k->space, 0);
    k->contact_joints = dJointGroupCreate(0);
    k->ray = dCreateRay(0, 1.0);
    dGeomRaySetClosestHit(k->ray, 1);
    return k;
}

void kernel_destroy(kernel *k)
{
    if (!k->broken) {
        for (int i = 0; i < k->joints.count; i++) destroy_joint(k->joints.items[i]);
        for (int i = 0; i < k->geoms.count; i++) destroy_geom(k, k->geoms.items[i]);
        for (int i = 0; i < k->bodies.count; i++) free(k->bodies.items[i]); /* the world destroys ODE's own */
        dGeomDestroy(k->ray);
        dJointGroupDestroy(k->contact_joints);
        dSpaceDestroy(k->space);
        dWorldDestroy(k->world);
        dThreadingFreeImplementation(k->threading);
    }
    free(k->surfaces), free(k->bodies.items), free(k->geoms.items), free(k->joints.items);
    free(k->pairs), free(k->pairs_scratch), free(k->contacts), free(k->touches);
    free(k->island), free(k->island_contacts), free(k->saved_forces), free(k->exploded);
    free(k->targets.parts), free(k->targets.groups);
    free(k);
}

const char *kernel_message(kernel *k) { return k->message; }
int64_t kernel_frame(kernel *k) { return k->frame; }
void kernel_set_frame(kernel *k, int64_t frame) { k->frame = frame; }
int kernel_islands_solved_quickly(kernel *k) { return k->quick_islands; }

void kernel_set_arrays(kernel *k, int capacity, double *positions, double *quaternions, double *rotations, double *linear,
                       double *angular)
{
    k->positions = positions, k->quaternions = quaternions, k->rotations = rotations;
    k->linear = linear, k->angular = angular;
    k->row_capacity = capacity;
    k->island = realloc(k->island, (size_t)capacity * sizeof(int));
    k->island_contacts = realloc(k->island_contacts, (size_t)capacity * sizeof(int));
    k->saved_forces = realloc(k->saved_forces, (size_t)capacity * 6 * sizeof(double));
    export_bodies(k);
}

static void save_forces(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) {
        dBodyID ode = ((body *)k->bodies.items[i])->ode;
        memcpy(k->saved_forces + 6 * i, dBodyGetForce(ode), 3 * sizeof(double));
        memcpy(k->saved_forces + 6 * i + 3, dBodyGetTorque(ode), 3 * sizeof(double));
    }
}

/* Undoes a step that failed: the arrays still hold the state before it. */
static void roll_back(kernel *k, bool first)
{
    for (int i = 0; i < k->bodies.count; i++) {
        body *b = k->bodies.items[i];
        const double none[6] = {0}, *force = first ? k->saved_forces + 6 * i : none;
        place_body(b, k->positions + 3 * i, k->quaternions + 4 * i, k->rotations + 9 * i, k->linear + 3 * i, k->angular + 3 * i);
        dBodySetForce(b->ode, force[0], force[1], force[2]);
        dBodySetTorque(b->ode, force[3], force[4], force[5]);
    }
    for (int i = 0; i < k->joints.count; i++) {
        dBodyID ground = ((joint *)k->joints.items[i])->ground;
        if (!ground) continue;
        dBodySetPosition(ground, 0, 0, 0);
        dBodySetQuaternion(ground, (const dQuaternion){1, 0, 0, 0});
        dBodySetLinearVel(ground, 0, 0, 0);
        dBodySetAngularVel(ground, 0, 0, 0);
        dBodySetForce(ground, 0, 0, 0);
        dBodySetTorque(ground, 0, 0, 0);
    }
    enable_all(k); /* the step may have failed between the two solvers */
}

/* Whether a number is far outside everything that can be simulated; also true of NaN. */
static inline bool beyond(double x) { return !(x < 1e9 && x > -1e9); }

static inline bool any_beyond(const double *p, const double *v, const double *w, const double *q)
{
    return beyond(p[0]) | beyond(p[1]) | beyond(p[2]) | beyond(v[0]) | beyond(v[1]) | beyond(v[2]) | beyond(w[0]) | beyond(w[1]) |
           beyond(w[2]) | beyond(q[0] + q[1] + q[2] + q[3]);
}

static void blame(kernel *k, int32_t owner)
{
    k->exploded = grown(k->exploded, &k->exploded_capacity, k->exploded_count + 1, sizeof *k->exploded);
    k->exploded[k->exploded_count++] = owner;
}

static bool anything_exploded(kernel *k)
{
    k->exploded_count = 0;
    for (int i = 0; i < k->bodies.count; i++) {
        const body *b = k->bodies.items[i];
        if (any_beyond(b->position, b->linear, b->angular, b->quaternion)) blame(k, b->owner);
    }
    for (int i = 0; i < k->joints.count; i++) {
        const joint *j = k->joints.items[i];
        if (j->ground && any_beyond(dBodyGetPosition(j->ground), dBodyGetLinearVel(j->ground), dBodyGetAngularVel(j->ground),
                                    dBodyGetQuaternion(j->ground)))
            blame(k, j->owner);
    }
    return k->exploded_count > 0;
}

int kernel_exploded_owners(kernel *k, int32_t *owners, int capacity)
{
    int count = k->exploded_count < capacity ? k->exploded_count : capacity;
    memcpy(owners, k->exploded, (size_t)count * sizeof(int32_t));
    return k->exploded_count;
}

/* After ODE jumped out: finds whom to blame, undoes the step, and makes the world whole where that is possible. */
static int recover(kernel *k, enum phase phase, bool first)
{
    guard_report(k);
    unlock_globals();
    if (phase == CONTACTING) {
        k->exploded_count = 0;
        if (k->current->lower->body) blame(k, k->current->lower->owner);
        if (k->current->higher->body) blame(k, k->current->higher->owner);
    }
    if (phase == COLLIDING || (phase == SOLVING && !anything_exploded(k))) {
        k->broken = true; /* the space is locked for good, or nobody is to blame */
        return KERNEL_BROKEN;
    }
    /* ODE was in the midst of its job list. A fresh list and fresh working memory replace what was left behind; the old list
       is given up (some 64 kB), for ODE refuses to free one that has jobs. */
    dJointGroupEmpty(k->contact_joints);
    dWorldCleanupWorkingMemory(k->world);
    renew_threading(k);
    roll_back(k, first);
    return KERNEL_EXPLODED;
}

int kernel_run(kernel *k, int64_t steps)
{
    if (k->broken) return KERNEL_BROKEN;
    volatile int64_t done = 0;
    volatile enum phase phase = COLLIDING;
    save_forces(k);
    if (ODE_FAILED()) return recover(k, phase, done == 0);
    while (done < steps) {
        phase = COLLIDING;
        find_pairs(k);
        phase = CONTACTING;
        make_contacts(k);
        phase = SOLVING;
        add_gyroscopic_torques(k);
        remember_joints(k);
        solve(k);
        dJointGroupEmpty(k->contact_joints);
        if (anything_exploded(k)) {
            guard_clear();
            k->message[0] = 0;
            roll_back(k, done == 0);
            return KERNEL_EXPLODED;
        }
        remember_velocities(k);
        export_bodies(k);
        write_tape(k);
        k->frame++;
        done = done + 1;
    }
    guard_clear();
    return KERNEL_FINE;
}
