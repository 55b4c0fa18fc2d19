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
    MOST_FREEDOMS = 3, /* that a joint leaves */
    MOST_ROWS = 6,     /* of one constraint */
    KNOWN_ORDERS = 8,
};

/* A body's place in the tree that joints make of a robot. */
typedef struct {
    body *parent;     /* NULL: nothing that moves by itself */
    const body *base; /* what `joint` holds it to, kinematic; NULL: the static world, or a parent */
    joint *joint;     /* to the parent or the base; NULL: it floats */
    int number;       /* of its tree */
    int depth;
    bool lonely;      /* no joint holds it, and it holds nothing */
    bool hung;        /* while trees are planted: it has its place */
} limb;

/* What a step works out for a body in the island at hand. Motions and impulses are those of spatial.h. All of an island's are one block of memory that the
   next island uses again: so they stay in the processor's cache, however many bodies there are. */
typedef struct branch {
    struct branch *parent; /* these are the limb's */
    const body *base;
    joint *joint;
    bool lonely;
    int freedoms;                           /* against the parent; 6 where it floats */
    double own_inertia[9];                  /* of the body alone, about its centre, in the world's axes */
    double arm[3];                          /* how the parent carries it */
    double axes[6 * MOST_FREEDOMS];         /* its motions against the parent */
    double inertia[36];                     /* of itself and of all that it carries, as felt from outside */
    double gain[6 * MOST_FREEDOMS];         /* inertia times axes */
    double kept;                            /* momentum in the joint's own rotor, of its only freedom */
    double factor[36];                      /* Cholesky's, of what the freedoms feel; the inverse on the diagonal */
    double drift[6];                        /* the motion against the parent that mends the joint's error */
    double chord[6];                        /* and the one that keeps it from growing while both turn */
    double whitened[6];                     /* impulses along the freedoms, in units in which all inertia is 1 */
    double momentum[6], motion[6];
    double guess[3];                        /* of the mean angular velocity in this step, if it is not lonely */
    double free[6];                         /* the motion without any constraint's impulse, if it is lonely */
    double shift[6];                        /* as the motion, but of the place alone */
    double asked[6];                        /* momentum of the drift or the chord */
    double burden[6];                       /* scratch of the passes over the tree */
    int mark, first_freedom;                /* among the island's */
    bool held;                              /* something keeps it from flying in this step */
} branch;

struct body { /* what a step looks at first */
    /* ODE's own memory of this body, for bulk export and exact restore. */
    double *position, *rotation, *linear, *angular, *quaternion, *force, *torque;
    dBodyID ode;
    limb tree;
    branch *branch; /* while its island is solved */
    bool kinematic; /* moves as it is told: nothing pushes it */
    bool spherical; /* all moments are equal: nothing gyroscopic */
    bool has_joints;
    bool feels;     /* whether the forces of its contacts are kept */
    double mass, inertia[9];
    double age;       /* for how long the acceleration that the velocities before tell of has been over, in steps */
    double before[6]; /* linear and angular velocity before the last step */
    int32_t owner;
    int row;
    int pressing;     /* contacts whose forces nobody solves for */
    double reach;     /* of its geoms, from its centre */
    double inverse_inertia[9];
};

/* A convex solid, in its own frame. */
typedef struct {
    int corner_count, plane_count, direction_count;
    double *corners, *planes, *directions; /* planes: normal and distance; directions: of edges */
} hull;

struct geom {
    dGeomID ode;
    uint32_t id;
    int32_t owner;
    int material;
    body *body; /* NULL: static */
    bool self_collides;
    double roller_radius; /* of the rollers around its z axis, on which it gives way along that axis; 0: it has none */
    int tally; /* scratch of those who look for the greediest */
    double reach; /* from the body's centre: no corner of the box that ODE puts around it is farther away */
    dTriMeshDataID mesh;
    double *vertices;
    dTriIndex *triangles;
    hull *hull; /* of a mesh that is a convex solid; else NULL */
};

/* Kinds of joints. */
enum { BALL, HINGE, HINGE2, SLIDER, UNIVERSAL, FIXED, AMOTOR, LMOTOR, PISTON, PR, PU };

struct joint { /* in the order in which a step looks at it */
    int kind, axis_count;
    bool in_tree;          /* else, where it constrains, it closes a loop */
    body *first, *second;
    dJointID ode;
    dJointFeedback *feedback;
    double damping, friction, armature; /* of a single axis */
    double parameters[3][16]; /* of the axes, by ODE's numbers */
    /* Where it was made, in the frames of its first and its second body. */
    double anchors[2][3], axes[2][3][3];
    double orientation[9]; /* of the first body as seen from the second */
    double lean;           /* cosine between the first two axes */
    dVector3 axes_then[3], arm_then; /* at the beginning of the last step, if there is feedback */
    int32_t owner;
    dBodyID ground; /* stands for the static world where ODE cannot do without a body; else NULL */
};

/* A joint as it stands now, in the world. */
typedef struct {
    int turns; /* axes about which the first body may turn against the second; 3: any */
    double turn[3][3];
    bool slides; /* along this one, too */
    double slide[3];
    double arms[2][3];  /* from the centres of mass to the point about which it turns */
    double parting[3];  /* of the first anchor from where it should be */
    double sag;         /* the part of it along `slide` */
    double tilt[3];     /* the turn that would put the first body right */
} joint_frame;

/* What a constraint answers to velocities: impulses, and by how much they fall when velocities grow. */
typedef struct {
    double impulse[MOST_ROWS], slope[MOST_ROWS][MOST_ROWS], error;
} answer;

/* Freedoms that follow each other. */
typedef struct {
    int start, length;
} run;

/* Rows that act between two bodies. A contact's first row is its normal; the others are tangential, in groups of up to two
   whose impulse is at most as long as the normal one (their scale contains the coefficient of friction). */
typedef struct constraint {
    body *first, *second; /* NULL, or kinematic: moves as it is told */
    bool contact, bounces;
    int rows;
    double jacobian[MOST_ROWS][12];
    double target[MOST_ROWS];   /* velocity that is aimed at */
    double kick;                /* by which an impact that bounces changes the normal velocity */
    double softness[MOST_ROWS]; /* velocity that is given up per impulse */
    double low[MOST_ROWS], high[MOST_ROWS];
    double shift_target[MOST_ROWS]; /* as `target`, for the places alone */
    bool shifts[MOST_ROWS];         /* which rows take part in correcting places */
    int groups, group_start[4], group_rows[4];
    joint *joint;   /* whose feedback it belongs to */
    int record;     /* of the contact; -1: none */
    /* What the solver works with. */
    int length, branches;  /* of its rows in whitened freedoms, and the bodies whose they are */
    branch **support;
    int stride;            /* from row to row: the length, filled up with zeros */
    int *index;            /* of its freedoms among the island's; as many as the stride */
    run *runs;             /* the same */
    int run_count;
    double *whitened, impulse[MOST_ROWS];
    double velocity[MOST_ROWS]; /* without its own impulses and those of others */
    double now[MOST_ROWS];      /* with them */
    double diagonal[MOST_ROWS]; /* what a row's own impulse changes its velocity by */
    double cross[4];            /* what the two rows of a group change each other by */
    double root[MOST_ROWS];     /* of the diagonal */
    double give[MOST_ROWS], reach[MOST_ROWS]; /* softness and diagonal, as they count */
    double hardness[MOST_ROWS]; /* one by what it gives */
    double coupling[MOST_ROWS][MOST_ROWS]; /* what its rows change each other by, once `coupled` */
    bool coupled;
    answer answer;
    double last[MOST_ROWS]; /* impulses before a round that may lead too far */
    double kept[MOST_ROWS]; /* and before some that may have to be taken back, or before a sweep */
    double direction[MOST_ROWS]; /* in which the sweeps go */
} constraint;

/* How two materials meet, ready for use. */
typedef struct {
    double mu, mu2, slip, slip2, rolling, spinning, bounce, bounce_velocity, erp, cfm;
    bool anisotropic;
    bool springy; /* its own softness makes it a spring */
} pair_surface;

/* A body's freedoms, and those of later blocks that they are coupled with. */
typedef struct {
    int start, size, run_count;
    run *runs;
} block;

/* One island on its way to a solution. */
typedef struct {
    constraint **items;
    const block *blocks; /* in the order in which they are eliminated */
    int count, freedoms, block_count;
    double friction; /* share of it that counts */
    bool places; /* whether places are corrected; else it is about velocities */
    bool at_rest; /* y is 0 */
    double *y, *residual, *matrix, *scratch, *last, *kept;
} problem;

/* What joints hold together: a run of the world's ordered bodies, and of its ordered joints. */
typedef struct {
    int first_body, bodies, first_joint, joints;
} tree;

/* Trees that touch: runs of the step's sorted trees and contacts. */
typedef struct {
    int first_tree, trees, first_contact, contacts;
} island;

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
    body *first, *second; /* of the lower and the higher geom; NULL: static */
    double force[3];      /* on the first */
    const pair_surface *surface; /* NULL: nothing to solve */
} contact_record;

/* A contact as one of its bodies feels it. */
typedef struct {
    int64_t other; /* geom */
    const double *position;
    double force[3];
} body_touch;

/* Memory that lives for one step. */
typedef struct {
    struct {
        char *memory;
        size_t size;
    } *blocks;
    int count, capacity, current;
    size_t used;
} arena;

/* Which bodies a constraint acts on, and what follows from that. */
typedef struct {
    int branches;
    const int *traits; /* of each of them: its number in the island, and its freedoms */
    int *index;
    run *runs;
    int run_count;
} outline;

/* The order in which an island's freedoms are eliminated, and the constraints that it goes with. */
typedef struct {
    arena memory; /* of all of it */
    int count;    /* of the constraints */
    outline *outlines;
    block *blocks;
    int block_count, freedoms;
} order;

/* An island at hand, and the memory that its solution takes: every thread has one of these. */
typedef struct {
    struct kernel *world;
    const island *island;
    body **bodies; /* parents before what they carry */
    branch *branches; /* theirs, in the same order */
    int body_count;
    constraint **constraints;
    int constraint_count, constraint_capacity;
    arena memory;
    order orders[KNOWN_ORDERS];
    const block *blocks; /* of the one that fits */
    int block_count;
    double *vectors, *matrix;
    int vector_capacity, matrix_capacity;
    int quick_islands, failed_solves; /* in this step */
    bool exploded; /* the same: some body is no longer anywhere */
} workspace;

typedef struct pool pool;

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

/* Geoms of one body that follow each other: a box until something comes near. Small parts take the box of a ball about the body's centre, however they are turned:
   ODE is not asked for the boxes of their geoms before these are wanted. */
typedef struct {
    double bounds[6];
    const double *center; /* of the ball; NULL: it has none */
    double reach;
    int first, count; /* of the world's geoms */
    bool self_collides;
    int64_t look; /* in which its geoms' boxes were found */
} near_part;

/* Parts that are one box until something comes near: what one owner brought along, or a body of the world, or one static geom. */
typedef struct {
    double bounds[6];
    double reach;     /* of what does not move: how far along x it and all before it get */
    int first, count; /* of the parts */
} near_group;

/* First what does not move, and of that first what has no end; each part in order along x. */
typedef struct {
    near_group *groups;
    near_part *parts;
    double *boxes; /* of all geoms, as of the looks of their parts */
    int64_t look;   /* the one at hand */
    int count, stills, endless, part_count, capacity, part_capacity, box_capacity;
    bool fresh; /* false once geoms have come or gone, or collide with others than before */
} near_groups;

typedef struct {
    ray_part *parts;
    ray_group *groups;
    int part_count, part_capacity, group_count, group_capacity;
    bool fresh; /* false once geoms have come or gone */
} ray_targets;

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

/* ODE's debug and error handlers must not return, or it ends the process: they jump back to the guard of the calling thread.
   A guard is set in the frame of the function that talks to ODE and is cleared before that function returns. */
extern _Thread_local jmp_buf guard_jump;
extern _Thread_local bool guard_set;
extern _Thread_local char guard_message[256];
#define ODE_FAILED() (guard_set = true, _setjmp(guard_jump) != 0)
void guard_install(void);
void guard_clear(void);
void jump_to_guard(void);
void guard_report(kernel *k);

/* ODE's random seed and trimesh caches are one per process; worlds in other threads must wait for them. */
void lock_globals(void);
void unlock_globals(void);

/* These jump to the guard if there is no memory left: only functions that set one may call them. */
void out_of_memory(void);
void *cleared(size_t size);
void *grown(void *memory, int *capacity, int needed, size_t size);
void list_append(list *l, void *item);

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
pair_surface prepare_surface(const kernel *k, const surface *s);
enum phase { COLLIDING, CONTACTING, SOLVING };
void give_up(kernel *k, int32_t owner, const char *format, ...);
bool has_exploded(const body *b);
bool find_exploded(kernel *k);
int check_contact_budget(kernel *k);
void blame_for_failure(kernel *k, enum phase phase);
void push_flying(const workspace *w);
void push_held(const workspace *w);
bool push_held_again(const workspace *w);
void sort_pairs(kernel *k);
void find_pairs(kernel *k);
hull *find_hull(int vertex_count, const double *vertices, int count, const dTriIndex *triangles);
void free_hull(hull *h);
int collide_hulls(const geom *first, const geom *second, dContactGeom *found);
int collide(const geom *first, const geom *second, dContactGeom *found);
void make_contacts(kernel *k);
void press_unsolved(kernel *k);
bool contact_on(const contact_record *contact, const body *b, body_touch *touch); /* false: it is not on this body */
void remember_joint(joint *j);
void solve(kernel *k);

/* Of `borrow`: where the block at hand has no room left. */
void *borrow_elsewhere(arena *a, size_t size);

static inline void *borrow(arena *a, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (a->current == a->count || a->used + size > a->blocks[a->current].size) return borrow_elsewhere(a, size);
    void *memory = a->blocks[a->current].memory + a->used;
    a->used += size;
    return memory;
}

void give_back(arena *a);
void free_arena(arena *a);

void turn_body(body *b, const double *rate, double step);
void export_bodies(kernel *k);
void export_step(kernel *k);
void write_tape(kernel *k);
void export_body(kernel *k, const body *b);
void place_body(body *b, const double *position, const double *quaternion, const double *rotation, const double *linear,
                const double *angular);

#include "solver.h" /* which needs all of the above */

#endif
