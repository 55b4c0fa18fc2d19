/* New places from velocities. What is held moves by its new velocity, which is what keeps joints and contacts together (semi-implicit Euler);
   what flies moves by the mean of those between which forces change it, and so does the centre of mass of a tree that flies. Rotations are by exactly the angle that the step takes. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

void turn_body(body *b, const double *rate, double step)
{
    const double speed = sqrt(dot3(rate, rate));
    if (speed == 0) return;
    const double half = 0.5 * speed * step, share = sin(half) / speed;
    const double w = cos(half), x = share * rate[0], y = share * rate[1], z = share * rate[2];
    const double *q = b->quaternion;
    dQuaternion turned = {
        w * q[0] - x * q[1] - y * q[2] - z * q[3],
        w * q[1] + x * q[0] + y * q[3] - z * q[2],
        w * q[2] - x * q[3] + y * q[0] + z * q[1],
        w * q[3] + x * q[2] - y * q[1] + z * q[0],
    };
    const double length = sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] + turned[3] * turned[3]);
    for (int i = 0; i < 4; i++) b->quaternion[i] = turned[i] / length;
    dRfromQ(b->rotation, b->quaternion);
}

/* Moves its centre, and ends its step. */
void settle(body *b, double time, const double *motion)
{
    double place[3];
    for (int i = 0; i < 3; i++) place[i] = b->position[i] + time * motion[i];
    dBodySetPosition(b->ode, place[0], place[1], place[2]); /* also tells the geoms that they moved */
    memset(b->force, 0, 3 * sizeof(double));
    memset(b->torque, 0, 3 * sizeof(double));
}

static void advance(const kernel *k, body *b, const double *motion)
{
    turn_body(b, motion + 3, k->step);
    settle(b, k->step, motion);
}

static bool exerts(const constraint *c)
{
    for (int row = 0; row < c->rows; row++)
        if (c->impulse[row] != 0) return true;
    return false;
}

/* Bodies that constraints hold, by more than an impact. */
void find_held(const workspace *w)
{
    for (int i = 0; i < w->body_count; i++) w->branches[i].held = !w->bodies[i]->tree.lonely;
    for (int i = 0; i < w->constraint_count; i++) {
        const constraint *c = w->constraints[i];
        if (c->bounces || !exerts(c)) continue;
        if (c->first && !c->first->kinematic) c->first->branch->held = true;
        if (c->second && !c->second->kinematic) c->second->branch->held = true;
    }
}

/* The solver's angular velocity is that of a body whose axes have not moved yet; its gyroscopic torque was found in these axes. */
static void turn_velocity(body *b, const double *rotation_before)
{
    double own[3];
    turn_back3(own, rotation_before, b->angular);
    turn3(b->angular, b->rotation, own);
}

static void fly(const kernel *k, body *b)
{
    const branch *t = b->branch;
    double mean[6], rotation[12];
    for (int i = 0; i < 3; i++) {
        mean[i] = t->motion[i] - 0.5 * (t->free[i] - b->linear[i]) + t->shift[i];
        mean[3 + i] = t->motion[3 + i] - 0.5 * (t->free[3 + i] - b->angular[i]) + t->shift[3 + i];
    }
    memcpy(rotation, b->rotation, sizeof rotation);
    memcpy(b->linear, t->motion, 3 * sizeof(double));
    memcpy(b->angular, t->motion + 3, 3 * sizeof(double));
    advance(k, b, mean);
    if (!b->spherical) turn_velocity(b, rotation);
}

static bool stays_within(const constraint *c) { return c->first && c->second && !c->first->kinematic && !c->second->kinematic; }

/* A tree that floats, and that nothing outside of it pushes. */
static bool tree_flies(const workspace *w)
{
    const branch *root = w->bodies[0]->branch;
    if (w->island->trees != 1 || root->joint || root->lonely) return false;
    for (int i = 0; i < w->constraint_count; i++)
        if (!stays_within(w->constraints[i]) && exerts(w->constraints[i])) return false;
    return true;
}

/* By how much new velocities are ahead of the mean of old and new ones, for the tree as a whole. */
static void find_lead(const workspace *w, double *lead)
{
    const kernel *k = w->world;
    double mass = 0, sum[3] = {0};
    memset(lead, 0, 3 * sizeof(double));
    if (!tree_flies(w)) return;
    for (int i = 0; i < w->body_count; i++) {
        const double *force = w->bodies[i]->force;
        mass += w->bodies[i]->mass;
        for (int n = 0; n < 3; n++) sum[n] += force[n];
    }
    for (int n = 0; n < 3; n++) lead[n] = 0.5 * k->step * (sum[n] / mass + k->gravity[n]);
}

static void move(const kernel *k, body *b, const double *lead)
{
    const branch *t = b->branch;
    double motion[6];
    for (int i = 0; i < 6; i++) motion[i] = t->motion[i] + t->shift[i] - (i < 3 ? lead[i] : 0);
    memcpy(b->linear, t->motion, 3 * sizeof(double));
    memcpy(b->angular, t->motion + 3, 3 * sizeof(double));
    advance(k, b, motion);
}

static void move_as_told(const kernel *k, body *b)
{
    double motion[6];
    memcpy(motion, b->linear, 3 * sizeof(double));
    memcpy(motion + 3, b->angular, 3 * sizeof(double));
    advance(k, b, motion);
}

void integrate(workspace *w)
{
    double lead[3];
    find_lead(w, lead);
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        b->age = 1;
        if (b->branch->held)
            move(w->world, b, lead);
        else
            fly(w->world, b);
        w->exploded |= has_exploded(b);
    }
}

/* Once nothing looks at them any more. */
void move_kinematic(kernel *k)
{
    if (k->ordered == k->bodies.count) return; /* all can be pushed */
    for (int i = 0; i < k->bodies.count; i++) {
        body *b = k->bodies.items[i];
        if (!b->kinematic) continue;
        move_as_told(k, b);
        k->space.exploded |= has_exploded(b);
    }
}
