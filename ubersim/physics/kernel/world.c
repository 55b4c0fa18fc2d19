/* A world's life: creation, the call that runs it, destruction. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

void list_append(list *l, void *item)
{
    l->items = grown(l->items, &l->capacity, l->count + 1, sizeof(void *));
    l->items[l->count++] = item;
}

kernel *kernel_create(double step, const double *gravity, double erp, double cfm, int solver, int iterations, int materials,
                      const surface *surfaces)
{
    guard_install();
    kernel *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->step = step;
    memcpy(k->gravity, gravity, 3 * sizeof(double));
    k->erp = erp, k->cfm = cfm;
    k->solver = solver, k->iterations = iterations;
    k->materials = materials;
    k->surfaces = calloc((size_t)materials * (size_t)materials, sizeof *k->surfaces);
    if (!k->surfaces) {
        free(k);
        return NULL;
    }
    for (int i = 0; i < materials * materials; i++) k->surfaces[i] = prepare_surface(k, &surfaces[i]);

    k->world = dWorldCreate();
    dWorldSetERP(k->world, erp); /* joints take them over as what they begin with */
    dWorldSetCFM(k->world, cfm);
    k->ray = dCreateRay(0, 1.0);
    dGeomRaySetClosestHit(k->ray, 1);
    return k;
}

void kernel_destroy(kernel *k)
{
    dismiss_pool(k);
    if (!k->broken) {
        for (int i = 0; i < k->joints.count; i++) destroy_joint(k->joints.items[i]);
        for (int i = 0; i < k->geoms.count; i++) destroy_geom(k, k->geoms.items[i]);
        for (int i = 0; i < k->bodies.count; i++) free(k->bodies.items[i]); /* the world destroys ODE's own */
        dGeomDestroy(k->ray);
        dWorldDestroy(k->world);
    }
    free(k->surfaces), free(k->bodies.items), free(k->geoms.items), free(k->joints.items);
    free(k->pairs), free(k->pairs_scratch), free(k->contacts);
    free(k->saved_forces), free(k->exploded);
    free(k->order), free(k->trees), free(k->joint_order), free(k->links);
    free_workspace(&k->space);
    free_arena(&k->memory);
    free(k->near.groups), free(k->near.parts), free(k->near.boxes);
    free(k->targets.parts), free(k->targets.groups), free(k->supports);
    free(k);
}

const char *kernel_message(kernel *k) { return k->message; }
int64_t kernel_frame(kernel *k) { return k->frame; }
void kernel_set_frame(kernel *k, int64_t frame) { k->frame = frame; }
int kernel_islands_solved_quickly(kernel *k) { return k->quick_islands; }
int64_t kernel_failed_solves(kernel *k) { return k->failed_solves; }

static void *resized(void *memory, int count, size_t size)
{
    void *moved = realloc(memory, (size_t)count * size);
    if (moved) return moved;
    out_of_memory();
    return memory;
}

int kernel_set_arrays(kernel *k, int capacity, double *positions, double *quaternions, double *rotations, double *linear,
                      double *angular)
{
    if (ODE_FAILED()) {
        guard_report(k);
        return KERNEL_REFUSED;
    }
    k->trees = resized(k->trees, capacity + 1, sizeof *k->trees);
    k->supports = resized(k->supports, capacity + 1, sizeof *k->supports);
    k->saved_forces = resized(k->saved_forces, 6 * capacity, sizeof *k->saved_forces);
    k->exploded = resized(k->exploded, capacity + 2, sizeof *k->exploded);
    k->order = resized(k->order, capacity + 1, sizeof *k->order);
    guard_clear();
    k->positions = positions, k->quaternions = quaternions, k->rotations = rotations;
    k->linear = linear, k->angular = angular;
    export_bodies(k);
    return KERNEL_FINE;
}

static void save_forces(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) {
        const body *b = k->bodies.items[i];
        memcpy(k->saved_forces + 6 * i, b->force, 3 * sizeof(double));
        memcpy(k->saved_forces + 6 * i + 3, b->torque, 3 * sizeof(double));
    }
}

/* Undoes a step that failed: the arrays still hold the state before it. */
static void roll_back(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) {
        body *b = k->bodies.items[i];
        const double none[6] = {0}, *force = k->pushed ? k->saved_forces + 6 * i : none;
        place_body(b, k->positions + 3 * i, k->quaternions + 4 * i, k->rotations + 9 * i, k->linear + 3 * i, k->angular + 3 * i);
        memcpy(b->force, force, 3 * sizeof(double));
        memcpy(b->torque, force + 3, 3 * sizeof(double));
    }
}

/* After ODE jumped out, or the kernel itself gave up: finds whom to blame, and undoes the step. */
static int recover(kernel *k, enum phase phase)
{
    guard_report(k);
    unlock_globals();
    blame_for_failure(k, phase);
    roll_back(k);
    return KERNEL_EXPLODED;
}

int kernel_run(kernel *k, int64_t steps)
{
    if (k->broken) return KERNEL_BROKEN;
    volatile int64_t done = 0;
    volatile enum phase phase = COLLIDING;
    k->culprit = -1;
    k->bounded = NULL;
    if (k->pushed) save_forces(k);
    if (ODE_FAILED()) return recover(k, phase);
    while (done < steps) {
        phase = COLLIDING;
        find_pairs(k);
        phase = CONTACTING;
        make_contacts(k);
        phase = SOLVING;
        solve(k);
        if (k->space.exploded) {
            find_exploded(k);
            guard_clear();
            k->message[0] = 0;
            roll_back(k);
            return KERNEL_EXPLODED;
        }
        export_step(k);
        k->pushed = false;
        write_tape(k);
        k->frame++;
        done = done + 1;
    }
    guard_clear();
    return KERNEL_FINE;
}
