/* ODE's friction is a pyramid: exact along its two directions, up to sqrt(2) too strong between them. So each contact gets a
   pyramid that is aligned with the way in which it is about to slip, or to roll. */
#include <math.h>

#include "kernel.h"

/* Velocity of a body's point at the end of the step, were there no contacts and no joints. */
static void add_free_velocity(const kernel *k, const body *b, const double *point, double sign, double *velocity)
{
    if (!b) return;
    double arm[3], turning[3];
    dSubtractVectors3(arm, point, b->position);
    dCalcVectorCross3(turning, b->angular, arm);
    const double *force = dBodyGetForce(b->ode);
    for (int i = 0; i < 3; i++) {
        const double gain = b->kinematic ? 0 : k->step * (force[i] / b->mass + k->gravity[i]);
        velocity[i] += sign * (b->linear[i] + turning[i] + gain);
    }
}

static void remove_normal_part(double *v, const double *normal)
{
    const double along = dCalcVectorDot3(v, normal);
    for (int i = 0; i < 3; i++) v[i] -= along * normal[i];
}

static bool take_direction(dContact *contact, const double *v)
{
    const double length = sqrt(dCalcVectorDot3(v, v));
    if (!(length > 1e-12)) return false;
    for (int i = 0; i < 3; i++) contact->fdir1[i] = v[i] / length;
    return true;
}

/* mu2 acts along the x axis of the first of the two bodies that is not static, mu across it. */
static bool across_x_axis(dContact *contact, const body *b)
{
    const double x[3] = {b->rotation[0], b->rotation[4], b->rotation[8]};
    double across[3];
    dCalcVectorCross3(across, x, contact->geom.normal);
    return take_direction(contact, across);
}

static bool along_rolling_axis(dContact *contact, const body *a, const body *b)
{
    double turning[3];
    for (int i = 0; i < 3; i++) turning[i] = (a ? a->angular[i] : 0) - (b ? b->angular[i] : 0);
    remove_normal_part(turning, contact->geom.normal);
    return take_direction(contact, turning);
}

void friction_direction(const kernel *k, const pair_surface *surface, const geom *a, const geom *b, dContact *contact)
{
    if (surface->anisotropic && across_x_axis(contact, a->body ? a->body : b->body)) return;
    const double *normal = contact->geom.normal;
    double slip[3] = {0, 0, 0};
    add_free_velocity(k, a->body, contact->geom.pos, 1, slip);
    add_free_velocity(k, b->body, contact->geom.pos, -1, slip);
    const double closing = -dCalcVectorDot3(slip, normal);
    remove_normal_part(slip, normal);
    if (surface->rolling) {
        /* Inside the friction cone nothing will slip, and the direction is free to make rolling friction isotropic. */
        const double limit = surface->parameters.mu * fmax(closing, 0);
        if (dCalcVectorDot3(slip, slip) <= limit * limit && along_rolling_axis(contact, a->body, b->body)) return;
    }
    if (take_direction(contact, slip)) return;
    dVector3 other;
    dPlaneSpace(normal, contact->fdir1, other);
}
