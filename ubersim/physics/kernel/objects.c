/* Bodies and geoms: made, placed, pushed, removed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static const double NO_ROTATION_TOLERANCE = 1e-12; /* closer than this, a geom's frame is its body's */
static const double HAIR = 1e-6; /* [m]: more than rounding makes of places anywhere in a world */

static void to_ode_matrix(dMatrix3 to, const double *from)
{
    for (int row = 0; row < 3; row++) {
        memcpy(to + 4 * row, from + 3 * row, 3 * sizeof(double));
        to[4 * row + 3] = 0;
    }
}

void export_body(kernel *k, const body *b)
{
    const int i = b->row;
    memcpy(k->positions + 3 * i, b->position, 3 * sizeof(double));
    memcpy(k->quaternions + 4 * i, b->quaternion, 4 * sizeof(double));
    memcpy(k->linear + 3 * i, b->linear, 3 * sizeof(double));
    memcpy(k->angular + 3 * i, b->angular, 3 * sizeof(double));
    for (int row = 0; row < 3; row++) memcpy(k->rotations + 9 * i + 3 * row, b->rotation + 4 * row, 3 * sizeof(double));
}

void export_bodies(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) export_body(k, k->bodies.items[i]);
}

/* After a step, while the arrays hold what was. */
void export_step(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) {
        body *b = k->bodies.items[i];
        memcpy(b->before, k->linear + 3 * i, 3 * sizeof(double));
        memcpy(b->before + 3, k->angular + 3 * i, 3 * sizeof(double));
        export_body(k, b);
    }
}

/* To the bit: ODE's own setters would normalise the quaternion and derive the rotation anew. */
void place_body(body *b, const double *position, const double *quaternion, const double *rotation, const double *linear,
                const double *angular)
{
    memcpy(b->quaternion, quaternion, 4 * sizeof(double));
    to_ode_matrix(b->rotation, rotation);
    memcpy(b->linear, linear, 3 * sizeof(double));
    memcpy(b->angular, angular, 3 * sizeof(double));
    dBodySetPosition(b->ode, position[0], position[1], position[2]); /* also tells the geoms that they moved */
}

static bool is_spherical(const double *inertia)
{
    return inertia[0] == inertia[4] && inertia[4] == inertia[8] && !inertia[1] && !inertia[2] && !inertia[5];
}

static void invert(double *inverse, const double *m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
        }
    const double determinant = m[0] * inverse[0] + m[1] * inverse[3] + m[2] * inverse[6];
    for (int i = 0; i < 9; i++) inverse[i] /= determinant;
}

body *kernel_add_body(kernel *k, int32_t owner, double mass, const double *inertia, const double *position,
                      const double *rotation)
{
    if (k->broken) return NULL;
    dBodyID volatile ode = NULL;
    if (ODE_FAILED()) {
        guard_report(k);
        if (ode) dBodyDestroy(ode);
        return NULL;
    }
    ode = dBodyCreate(k->world);
    dMass m;
    dMassSetParameters(&m, mass, 0, 0, 0, inertia[0], inertia[4], inertia[8], inertia[1], inertia[2], inertia[5]);
    dBodySetMass(ode, &m);
    dMatrix3 matrix;
    to_ode_matrix(matrix, rotation);
    dBodySetRotation(ode, matrix);
    dBodySetPosition(ode, position[0], position[1], position[2]);
    dBodySetFiniteRotationMode(ode, 1);
    dBodySetGyroscopicMode(ode, 0); /* gyroscope.c does it better */

    body *b = cleared(sizeof *b);
    *b = (body){.ode = ode, .owner = owner, .row = k->bodies.count, .mass = mass, .age = 1,
                .position = (double *)dBodyGetPosition(ode), .quaternion = (double *)dBodyGetQuaternion(ode),
                .rotation = (double *)dBodyGetRotation(ode), .linear = (double *)dBodyGetLinearVel(ode),
                .angular = (double *)dBodyGetAngularVel(ode), .force = (double *)dBodyGetForce(ode), .torque = (double *)dBodyGetTorque(ode)};
    b->spherical = is_spherical(inertia);
    memcpy(b->inertia, inertia, sizeof b->inertia);
    invert(b->inverse_inertia, inertia);
    list_append(&k->bodies, b);
    guard_clear();
    k->trees_stale = true;
    export_body(k, b);
    return b;
}

int body_row(body *b) { return b->row; }

int body_add_force(kernel *k, body *b, const double *force, const double *point)
{
    k->pushed = true;
    if (point)
        dBodyAddForceAtPos(b->ode, force[0], force[1], force[2], point[0], point[1], point[2]);
    else
        dBodyAddForce(b->ode, force[0], force[1], force[2]);
    return KERNEL_FINE;
}

int body_add_torque(kernel *k, body *b, const double *torque)
{
    k->pushed = true;
    dBodyAddTorque(b->ode, torque[0], torque[1], torque[2]);
    return KERNEL_FINE;
}

int body_set_state(kernel *k, body *b, const double *position, const double *quaternion, const double *linear,
                   const double *angular)
{
    if (ODE_FAILED()) {
        guard_report(k);
        return KERNEL_REFUSED;
    }
    if (quaternion) dBodySetQuaternion(b->ode, quaternion);
    if (position) dBodySetPosition(b->ode, position[0], position[1], position[2]);
    if (linear) dBodySetLinearVel(b->ode, linear[0], linear[1], linear[2]);
    if (angular) dBodySetAngularVel(b->ode, angular[0], angular[1], angular[2]);
    guard_clear();
    export_body(k, b);
    return KERNEL_FINE;
}

void body_make_kinematic(kernel *k, body *b)
{
    k->trees_stale = true;
    dBodySetKinematic(b->ode);
    b->kinematic = true;
}

static dGeomID create_shape(int shape, const double *d)
{
    switch (shape) {
    case SHAPE_BOX: return dCreateBox(0, d[0], d[1], d[2]);
    case SHAPE_SPHERE: return dCreateSphere(0, d[0]);
    case SHAPE_CAPSULE: return dCreateCapsule(0, d[0], d[1]);
    case SHAPE_CYLINDER: return dCreateCylinder(0, d[0], d[1]);
    default: return dCreatePlane(0, d[0], d[1], d[2], d[3]);
    }
}

static bool same_frame(const body *b, const double *position, const dMatrix3 rotation)
{
    double difference = 0;
    for (int i = 0; i < 3; i++) difference = fmax(difference, fabs(b->position[i] - position[i]));
    for (int i = 0; i < 12; i++) difference = fmax(difference, fabs(b->rotation[i] - rotation[i]));
    return difference < NO_ROTATION_TOLERANCE;
}

static void place_geom(dGeomID ode, body *b, const double *position, const double *rotation)
{
    dMatrix3 matrix;
    to_ode_matrix(matrix, rotation);
    if (!b) {
        dGeomSetPosition(ode, position[0], position[1], position[2]);
        dGeomSetRotation(ode, matrix);
        return;
    }
    dGeomSetBody(ode, b->ode);
    if (same_frame(b, position, matrix)) return; /* without an offset every step is cheaper */
    dGeomSetOffsetWorldPosition(ode, position[0], position[1], position[2]);
    dGeomSetOffsetWorldRotation(ode, matrix);
}

/* Of a sphere about its own origin that holds a shape. ODE's boxes around turned cylinders and meshes may be larger by factors of up to the square roots of 2 and 6. */
static double shape_radius(int shape, const double *d)
{
    switch (shape) {
    case SHAPE_BOX: return sqrt(dCalcVectorDot3(d, d)) / 2;
    case SHAPE_SPHERE: return d[0];
    case SHAPE_CAPSULE: return d[0] + d[1] / 2;
    case SHAPE_CYLINDER: return hypot(d[0], d[1] / 2);
    default: return INFINITY;
    }
}

static geom *enter_geom(kernel *k, dGeomID ode, int32_t owner, body *b, int material, double radius, double looseness)
{
    double reach = INFINITY;
    if (b) {
        const double margin = 1e-9; /* relative: what rounding may add as the body moves */
        const double distance = dCalcPointsDistance3(dGeomGetPosition(ode), b->position);
        b->reach = fmax(b->reach, (distance + radius) * (1 + margin));
        reach = (distance + looseness * radius) * (1 + margin) + HAIR;
    }
    k->targets.fresh = k->near.fresh = false;
    geom *g = cleared(sizeof *g);
    *g = (geom){.ode = ode, .id = k->next_geom_id++, .owner = owner, .material = material, .body = b, .self_collides = true, .reach = reach};
    dGeomSetData(ode, g);
    list_append(&k->geoms, g);
    return g;
}

geom *kernel_add_geom(kernel *k, int shape, int32_t owner, body *b, int material, const double *position,
                      const double *rotation, const double *dimensions)
{
    if (k->broken) return NULL;
    dGeomID volatile ode = NULL;
    if (ODE_FAILED()) {
        guard_report(k);
        if (ode) dGeomDestroy(ode);
        return NULL;
    }
    ode = create_shape(shape, dimensions);
    if (shape != SHAPE_PLANE) place_geom(ode, b, position, rotation);
    geom *g = enter_geom(k, ode, owner, b, material, shape_radius(shape, dimensions), shape == SHAPE_CYLINDER ? M_SQRT2 : 1);
    guard_clear();
    return g;
}

geom *kernel_add_mesh(kernel *k, int32_t owner, body *b, int material, const double *position, const double *rotation, mesh *m)
{
    if (k->broken) return NULL;
    dGeomID volatile ode = NULL;
    if (ODE_FAILED()) {
        guard_report(k);
        if (ode) dGeomDestroy(ode);
        return NULL;
    }
    ode = dCreateTriMesh(0, m->data, NULL, NULL, NULL);
    place_geom(ode, b, position, rotation);
    geom *g = enter_geom(k, ode, owner, b, material, m->radius, 2.5);
    guard_clear();
    hold_mesh(m);
    g->mesh = m, g->hull = m->hull;
    k->mesh_count++;
    return g;
}

int64_t geom_id(geom *g) { return g->id; }

void geom_set_rollers(geom *g, double radius) { g->roller_radius = radius; }

void geom_set_self_collision(kernel *k, geom *g, int enabled)
{
    g->self_collides = enabled;
    k->near.fresh = false;
}

void kernel_set_self_collision(kernel *k, int32_t owner, int enabled)
{
    k->near.fresh = false;
    for (int i = 0; i < k->geoms.count; i++) {
        geom *g = k->geoms.items[i];
        if (g->owner == owner) g->self_collides = enabled;
    }
}

void destroy_geom(kernel *k, geom *g)
{
    dGeomDestroy(g->ode);
    if (g->mesh) {
        mesh_release(g->mesh);
        k->mesh_count--;
    }
    free(g);
}

/* Drops what belongs to the owner from a list whose order stays. */
#define DROP(list_, type, owned, destroy)                                                                                         \
    do {                                                                                                                          \
        int kept = 0;                                                                                                             \
        for (int i = 0; i < (list_).count; i++) {                                                                                 \
            type *item = (list_).items[i];                                                                                        \
            if (owned) {                                                                                                          \
                destroy;                                                                                                          \
            } else                                                                                                                \
                (list_).items[kept++] = item;                                                                                     \
        }                                                                                                                         \
        (list_).count = kept;                                                                                                     \
    } while (0)

static bool on_bodies_of(const joint *j, int32_t owner)
{
    return (j->first && j->first->owner == owner) || (j->second && j->second->owner == owner);
}

int kernel_remove(kernel *k, int32_t owner)
{
    if (k->broken) return KERNEL_BROKEN;
    if (ODE_FAILED()) {
        guard_report(k);
        k->broken = true;
        return KERNEL_BROKEN;
    }
    DROP(k->joints, joint, item->owner == owner || on_bodies_of(item, owner), destroy_joint(item));
    DROP(k->geoms, geom, item->owner == owner || (item->body && item->body->owner == owner), destroy_geom(k, item));
    DROP(k->bodies, body, item->owner == owner, (dBodyDestroy(item->ode), free(item)));
    guard_clear();
    k->trees_stale = true;
    k->targets.fresh = k->near.fresh = false;
    k->contact_count = 0; /* some of them may be with what has gone */
    for (int i = 0; i < k->bodies.count; i++) ((body *)k->bodies.items[i])->row = i;
    export_bodies(k);
    return KERNEL_FINE;
}
