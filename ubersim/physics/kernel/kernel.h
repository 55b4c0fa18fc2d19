/* The kernel's insides: one ODE world, its objects in order of creation, and the buffers that a step reuses. */
#ifndef UBERSIM_KERNEL_H
#define UBERSIM_KERNEL_H

#include <ode/ode.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "api.h"

_Static_assert(sizeof(dReal) == sizeof(double), "the kernel needs an ODE built in double precision");

enum {
    MAX_CONTACTS_PER_PAIR = 16,
    STATE_ROW = 28, /* doubles of a body in a snapshot */
};

struct body {
    dBodyID ode;
    int32_t owner;
    int row;
    bool has_joints;
    bool kinematic; /* moves as it is told: nothing pushes it */
    double mass;
    bool spherical; /* all moments are equal: nothing gyroscopic */
    double reach;   /* of its geoms, from its centre */
    double inertia[9], inverse_inertia[9];
    double before[6]; /* linear and angular velocity before the last step */
    bool feels;       /* whether the forces of its contacts are kept */
    /* ODE's own memory of this body, for bulk export and exact restore. */
    double *position, *quaternion, *rotation, *linear, *angular;
};

struct geom {
    dGeomID ode;
    uint32_t id;
    int32_t owner;
    int material;
    body *body; /* NULL: static */
    bool self_collides;
    dTriMeshDataID mesh;
    double *vertices;
    dTriIndex *triangles;
};

/* Kinds of joints. */
enum { BALL, HINGE, HINGE2, SLIDER, UNIVERSAL, FIXED, AMOTOR, LMOTOR, PISTON, PR, PU };

struct joint {
    dJointID ode;
    int kind;
    int32_t owner;
    body *first, *second;
    dBodyID ground; /* stands for the static world where ODE cannot do without a body; else NULL */
    dJointFeedback *feedback;
    dVector3 axes_then[3], arm_then; /* at the beginning of the last step, if there is feedback */
};

/* How two materials meet, ready for ODE. */
typedef struct {
    dSurfaceParameters parameters;
    bool anisotropic;
    bool rolling;
} pair_surface;

/* Two geoms whose boxes overlap; `key` orders pairs by the ids, lower id first. */
typedef struct {
    uint64_t key;
    geom *lower, *higher;
} near_pair;

/* A contact of this step, as it is told to others. */
typedef struct {
    const near_pair *pair;
    uint64_t key;
    double position[3], normal[3], depth;
    const body *first, *second; /* of the lower and the higher geom; NULL: static */
    dJointID joint;             /* until the step is over; NULL: nothing to solve */
    int touch;                  /* where its forces are kept; -1: nowhere */
} contact_record;

typedef struct {
    void **items;
    int count, capacity;
} list;

/* What rays may hit, as boxes in boxes, each in ODE's order: min x, max x, min y, ... The boxes of a group hold those of its parts,
   and these hold geoms. */
typedef struct {
    double bounds[6];
    const body *body; /* NULL: one geom, which does not move */
    int first, count; /* of the world's geoms */
} ray_part;

typedef struct {
    double bounds[6];
    int32_t owner;
    int first, count; /* of the parts */
} ray_group;

typedef struct {
    ray_part *parts;
    ray_group *groups;
    int part_count, part_capacity, group_count, group_capacity;
    bool fresh; /* false once geoms have come or gone */
} ray_targets;

struct kernel {
    dWorldID world;
    dThreadingImplementationID threading;
    dSpaceID space;
    dJointGroupID contact_joints;
    dGeomID ray;
    double step;
    dVector3 gravity;
    int solver;
    uint64_t seed;
    int64_t frame;
    uint32_t next_geom_id;
    bool broken; /* ODE failed where its structures cannot be trusted any more */
    int mesh_count;

    int materials;
    pair_surface *surfaces;

    list bodies, geoms, joints;
    ray_targets targets;
    double *positions, *quaternions, *rotations, *linear, *angular; /* the caller's arrays */

    uint32_t *tape; /* the caller's, or NULL */
    int64_t tape_length, tape_capacity;

    near_pair *pairs, *pairs_scratch;
    int pair_count, pair_capacity;
    const near_pair *current; /* the pair in ODE's hands, to blame if it fails there */
    contact_record *contacts;
    int contact_count, contact_capacity;
    dJointFeedback *touches; /* of the contacts whose forces are kept */
    int touch_capacity;

    int *island; /* union-find over body rows, then the contacts of each root */
    int *island_contacts;
    double *saved_forces; /* of all bodies before a call's first step: force, torque */
    int row_capacity;
    int32_t *exploded; /* owners to blame for the last failure */
    int exploded_count, exploded_capacity;
    int quick_islands;

    char message[256];
};

/* ODE's debug and error handlers must not return, or it ends the process: they jump back to the guard of the calling thread.
   A guard is set in the frame of the function that talks to ODE and is cleared before that function returns. */
extern _Thread_local jmp_buf guard_jump;
extern _Thread_local bool guard_set;
extern _Thread_local char guard_message[256];
#define ODE_FAILED() (guard_set = true, _setjmp(guard_jump) != 0)
void guard_install(void);
void guard_clear(void);
void guard_report(kernel *k);

/* ODE's random seed and trimesh caches are one per process; worlds in other threads must wait for them. */
void lock_globals(void);
void unlock_globals(void);

void list_append(list *l, void *item);
void *grown(void *memory, int *capacity, int needed, size_t size);

/* A ray that is about to be cast, of unit length per metre. */
typedef struct {
    double origin[3], unit[3], inverse[3], range;
} ray;

void fit_targets(kernel *k);
void aim_ray(kernel *k, ray *r, const double *origin, const double *direction, double range);
bool ray_hits(kernel *k, const geom *g, dContactGeom *hit);
const geom *nearest_geom(kernel *k, const ray *r, const body *ignored, int32_t ignored_owner, dContactGeom *hit);
void destroy_geom(kernel *k, geom *g);
void destroy_joint(joint *j);
pair_surface prepare_surface(const surface *s);
void friction_direction(const kernel *k, const pair_surface *surface, const geom *a, const geom *b, dContact *contact);
void add_gyroscopic_torques(kernel *k);
void find_pairs(kernel *k);
void make_contacts(kernel *k);
void watch_contacts(kernel *k);
void remember_velocities(kernel *k);
void remember_joints(kernel *k);
void solve(kernel *k);
void enable_all(kernel *k);
void export_bodies(kernel *k);
void write_tape(kernel *k);
void export_body(kernel *k, const body *b);
void place_body(body *b, const double *position, const double *quaternion, const double *rotation, const double *linear,
                const double *angular);

#endif
