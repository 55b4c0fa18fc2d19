/* The kernel's insides: one ODE world, its objects in order of creation, and the buffers that a step reuses. */
#ifndef UBERSIM_KERNEL_H
#define UBERSIM_KERNEL_H

#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "body.h"
#include "broad_phase.h"
#include "constraint.h"
#include "contact.h"
#include "geom.h"
#include "guard.h"
#include "island.h"
#include "joint.h"
#include "memory.h"
#include "rays.h"
#include "solver.h"
#include "tree.h"

_Static_assert(sizeof(dReal) == sizeof(double), "the kernel needs an ODE built in double precision");

struct kernel {
    dWorldID world;
    dGeomID ray;
    double step, erp, cfm;
    dVector3 gravity;
    int solver, iterations;
    int64_t frame;
    uint32_t next_geom_id;
    bool broken; /* ODE failed where its structures cannot be trusted any more */
    int mesh_count;

    int materials;
    pair_surface *surfaces;

    list bodies, geoms, joints;
    ray_targets targets;
    near_groups near;
    int *supports; /* which bodies hang together, as of a frame */
    int supported_bodies;
    int64_t supported_frame;
    double *positions, *quaternions, *rotations, *linear, *angular; /* the caller's arrays */

    uint32_t *tape; /* the caller's, or NULL */
    int64_t tape_length, tape_capacity;

    near_pair *pairs, *pairs_scratch;
    int pair_count, pair_capacity;
    const geom *bounded;      /* the geom and the pair in ODE's hands, to blame if it fails there */
    const near_pair *current;
    int32_t culprit;          /* the owner for whose sake the step was given up; -1: none */
    int contact_limit;        /* that an owner may have in one step; 0: none */
    contact_record *contacts;
    int contact_count, contact_capacity;

    bool trees_stale; /* bodies or joints have come or gone */
    body **order;     /* all bodies that can be pushed, parents before what they carry */
    int ordered;
    tree *trees;
    int tree_count;
    joint **joint_order; /* all joints that can push something, by trees */
    int joint_order_capacity;
    joint **links; /* those between two trees */
    int link_count, link_capacity;
    arena memory;

    island *islands;
    int island_count, *island_trees, *island_contacts; /* sorted by islands */
    workspace space;
    pool *pool; /* NULL: the calling thread does it all */
    bool pushed; /* some body waits with a force or a torque */
    double *saved_forces; /* if so, of all bodies before a call's first step: force, torque */
    int32_t *exploded; /* owners to blame for the last failure */
    int exploded_count;
    int quick_islands;
    int64_t failed_solves;

    char message[256];
};

enum phase { COLLIDING, CONTACTING, SOLVING };
void give_up(kernel *k, int32_t owner, const char *format, ...);
bool has_exploded(const body *b);
bool find_exploded(kernel *k);
int check_contact_budget(kernel *k);
void blame_for_failure(kernel *k, enum phase phase);
void solve(kernel *k);
void write_tape(kernel *k);

#endif
