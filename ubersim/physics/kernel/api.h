/* What Python sees of the kernel. Plain declarations only: cffi reads this file too, all but the preprocessor's lines. Functions that
   return int return 0 when all went well, else one of the outcomes below; those that return a pointer return NULL instead, and
   kernel_message() says why. */
#ifndef UBERSIM_API_H
#define UBERSIM_API_H

#include <stdint.h>

typedef struct kernel kernel;
typedef struct body body;
typedef struct geom geom;
typedef struct joint joint;
typedef struct mesh mesh;

/* How two materials meet; NaN where the world's own value, or the isotropic one, is meant. */
typedef struct {
    double mu, mu2, bounce, bounce_velocity, soft_erp, soft_cfm, stiffness, damping, slip, slip2, rolling, spinning;
} surface;

/* ODE's version, the library's file and its configuration. */
const char *ode_version(void);

enum outcome { KERNEL_FINE = 0, KERNEL_EXPLODED = 1, KERNEL_REFUSED = 2, KERNEL_BROKEN = 3 };
enum solver { SOLVER_EXACT = 0, SOLVER_QUICK = 1, SOLVER_AUTO = 2 };

/* The world. */
kernel *kernel_create(double step, const double *gravity, double erp, double cfm, int solver, int iterations, int materials,
                      const surface *surfaces);
void kernel_destroy(kernel *k);
const char *kernel_message(kernel *k);
int kernel_run(kernel *k, int64_t steps);
/* How many threads solve islands, the caller among them; one of several solves what it gets hold of, with the same bits. */
int kernel_set_threads(kernel *k, int threads);
int64_t kernel_frame(kernel *k);
void kernel_set_frame(kernel *k, int64_t frame);
int kernel_exploded_owners(kernel *k, int32_t *owners, int capacity);
/* How many contacts an owner may have in one step; 0: any number. Beyond, the step is undone, and the owner to blame. */
void kernel_set_contact_limit(kernel *k, int most);
int kernel_islands_solved_quickly(kernel *k);
/* How often the direct method found no solution, and sweeps did. */
int64_t kernel_failed_solves(kernel *k);

/* Memory, owned by the caller, into which every step writes the bodies' state; one row per body. */
int kernel_set_arrays(kernel *k, int capacity, double *positions, double *quaternions, double *rotations, double *linear,
                      double *angular);

/* Memory, owned by the caller, to which every step appends a fingerprint of every body, in order of the rows; NULL: no more.
   The length counts what did not fit, too. */
void kernel_set_tape(kernel *k, uint32_t *tape, int64_t capacity);
int64_t kernel_tape_length(kernel *k);

/* Bodies. Rotations are 3x3, row by row. */
body *kernel_add_body(kernel *k, int32_t owner, double mass, const double *inertia, const double *position,
                      const double *rotation);
int body_row(body *b);
int body_add_force(kernel *k, body *b, const double *force, const double *point);
int body_add_torque(kernel *k, body *b, const double *torque);
/* Linear and angular velocity at the beginning of the last step. */
void body_velocities_before(body *b, double *linear_and_angular);
/* For how many steps the acceleration that the difference to these tells of has been over: a half where it is the mean of the step, one where it was that
   at the step's beginning. */
double body_acceleration_age(body *b);
/* Whether something holds it, be it over others: the static world, by joints or by contacts of the last step. */
int body_supported(kernel *k, body *b);
int body_set_state(kernel *k, body *b, const double *position, const double *quaternion, const double *linear,
                   const double *angular);
/* From now on it keeps the velocities that it is given, and pushes others without being pushed. */
void body_make_kinematic(kernel *k, body *b);

/* Bodies that move as one piece in the plane, whose points and vectors are complex numbers: each gets the velocity
   velocity + swing * (its place - the point x, y), and all turn about the vertical. None does if one would be too fast. */
typedef struct {
    double x, y, velocity_x, velocity_y, swing_x, swing_y, turn;
} planar_motion;
int kernel_move_piece(kernel *k, int count, body **bodies, const planar_motion *m);
/* The same in space: the point moves by velocity * step, and all turn about it, by rate * step. */
typedef struct {
    double point[3], velocity[3], rate[3];
} spatial_motion;
int kernel_move_freely(kernel *k, int count, body **bodies, const spatial_motion *m);
/* Which share of their way in the next step bodies that are told how to move can go, before one of them gets deeper than a hair
   into something that does not give way: the static world, or what another owner tells how to move. */
int kernel_free_share(kernel *k, int count, body **bodies, double *share);

/* Meshes: NULL if ODE refuses the triangles, and then a message of up to 256 characters. A mesh lives until it was released, and its last geom has gone. */
mesh *mesh_create(int vertex_count, const double *vertices, int triangle_count, const uint32_t *triangles, char *message);
void mesh_release(mesh *m);

/* Geoms. `b` may be NULL: static. `dimensions` are those of the shape. */
enum shape { SHAPE_BOX = 0, SHAPE_SPHERE = 1, SHAPE_CAPSULE = 2, SHAPE_CYLINDER = 3, SHAPE_PLANE = 4, SHAPE_MESH = 5 };
geom *kernel_add_geom(kernel *k, int shape, int32_t owner, body *b, int material, const double *position,
                      const double *rotation, const double *dimensions);
geom *kernel_add_mesh(kernel *k, int32_t owner, body *b, int material, const double *position, const double *rotation, mesh *m);
int64_t geom_id(geom *g);
void geom_set_self_collision(kernel *k, geom *g, int enabled);
/* Rollers all around its z axis: what it touches, it touches in one point, and along that axis they roll. */
void geom_set_rollers(geom *g, double radius);
void kernel_set_self_collision(kernel *k, int32_t owner, int enabled);

/* Joints. `kind` indexes the table in joints.c. Parameters carry ODE's own numbers. */
joint *kernel_add_joint(kernel *k, int kind, int32_t owner, body *first, body *second, const double *anchor, int axis_count,
                        const double *axes);
int joint_set(kernel *k, joint *j, int parameter, double value);
double joint_get(joint *j, int parameter);
/* What a hinge or slider does against all motion: force per speed, dry friction, and the inertia of what turns along with it. */
void joint_resist(joint *j, double damping, double friction, double armature);
double joint_position(joint *j, int axis);
double joint_rate(joint *j, int axis);
int joint_axis(joint *j, int axis, double *direction);
double joint_effort(joint *j, int axis); /* on the first body; needs feedback */
void joint_enable_feedback(joint *j);
int joint_feedback(joint *j, double *forces_and_torques);

int kernel_remove(kernel *k, int32_t owner);

/* What the last step's collision phase found. */
int kernel_contact_count(kernel *k);
void kernel_contacts(kernel *k, int64_t *ids, double *positions, double *normals, double *depths);

/* What touched one body in the last step: the other geom's id, where, and the force on the body. Returns how many there were,
   and tells of up to `capacity`. Forces are kept from the first step after body_feel on. */
void body_feel(body *b);
int body_contacts(kernel *k, body *b, int capacity, int64_t *others, double *positions, double *forces);

/* Rays that are fixed to a body: nearest hits. `place` and `fixed` are in its frame; the rays in the world are told, too.
   `ignored` may be NULL, `ignored_owner` negative. */
int kernel_cast_bundle(kernel *k, body *b, int count, const double *place, const double *fixed, const double *ranges, body *ignored,
                       int32_t ignored_owner, double *origins, double *directions, double *distances, int64_t *ids,
                       double *normals);

/* Which directions a camera's picture shows, in the axes of its viewpoint: +y ahead, +x right, +z up. */
enum projection { PINHOLE = 0, FACETTE = 1, FISHEYE = 2, MIRROR = 3, ISOMETRIC_MIRROR = 4 };
typedef struct {
    int projection;
    double width, height, focal;           /* in pixels */
    double nearest, farthest;              /* depths */
    double k1, k2, k3, p1, p2;             /* of the lens */
    double mirror_a, mirror_b, mirror_rim; /* semi-axes and radius of the mirror */
    double cone_axis, cone_angle;          /* all lies in this cone about +y (1) or -y (-1) */
} picture;
int picture_shows(const picture *p, const double *point);

/* Looking around from a place on a body, without drawing. All memory is the caller's; things are numbered from 0. */
enum { SIGHT_COLUMNS = 5 };
typedef struct {
    body *body;
    const double *place, *turn; /* of the place, in the body's frame */
    int things;
    const double *numbers, *centers, *radii; /* what they are called, and spheres around them, in the frames of their bodies, */
    const int64_t *rows, *owners;            /* which are these: -1 is static; and whose they are */
    const int64_t *first_aim;                /* points of thing n that are looked at: from here to the next thing's */
    const double *aims;                      /* in the same frames */
    int statics;                             /* the first things are one static geom each, */
    int64_t first_static;                    /* with ids from here on */
    int bodies;
    const int64_t *thing_of_row; /* -1: none */
    /* What the functions below find out. */
    double *viewpoint, *axes; /* of the place, in the world */
    double *seen;             /* the things' centres in the axes of the place, of those that were looked for */
    int64_t *near;            /* which were: their spheres reach into the picture */
    _Bool *visible;           /* which things are in sight */
} sight;
/* All things are in sight but those of the body's owner. */
int sight_everything(kernel *k, sight *s);
/* A thing is in sight if a ray to one of its aims in the picture, or one of those given, in the axes of the place, gets to it
   first. What belongs to the body's owner hides nothing. Rays that could only lead to what is in sight already are left out. */
int sight_search(kernel *k, sight *s, const picture *p, double reach, int ray_count, const double *rays);
/* Rows of number, bearing to the left, elevation, distance, apparent size; returns how many. */
int sight_tell(sight *s, double *rows);

/* Exact state: rows of 28, that is position 3, quaternion 4, rotation 9, linear 3, angular 3, force 3, torque 3. */
void kernel_save_bodies(kernel *k, double *rows);
int kernel_load_bodies(kernel *k, const double *rows);

#endif
