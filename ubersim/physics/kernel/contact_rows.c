/* What contacts ask of velocities: no approach, friction in a round cone, resistance against rolling and spinning. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

static void point_row(const constraint *c, double *jacobian, const double *point, const double *direction, double scale)
{
    memset(jacobian, 0, 12 * sizeof(double));
    const body *bodies[2] = {c->first, c->second};
    for (int side = 0; side < 2; side++) {
        if (!bodies[side]) continue;
        double arm[3], scaled[3];
        for (int i = 0; i < 3; i++) {
            arm[i] = point[i] - bodies[side]->position[i];
            scaled[i] = (side ? -scale : scale) * direction[i];
            jacobian[6 * side + i] = scaled[i];
        }
        cross3(jacobian + 6 * side + 3, arm, scaled);
    }
}

static void turning_row(double *jacobian, const double *direction, double scale)
{
    memset(jacobian, 0, 12 * sizeof(double));
    for (int i = 0; i < 3; i++) jacobian[3 + i] = scale * direction[i], jacobian[9 + i] = -scale * direction[i];
}

static double velocity_before(const constraint *c, int row)
{
    double velocity = 0;
    if (c->first) velocity += dot3(c->jacobian[row], c->first->linear) + dot3(c->jacobian[row] + 3, c->first->angular);
    if (c->second) velocity += dot3(c->jacobian[row] + 6, c->second->linear) + dot3(c->jacobian[row] + 9, c->second->angular);
    return velocity;
}

/* mu2 acts along the x axis of the first of the two bodies that is not static, mu across it. */
static bool across_x_axis(const body *b, const double *normal, double *across)
{
    const double x[3] = {b->rotation[0], b->rotation[4], b->rotation[8]};
    cross3(across, x, normal);
    const double length = sqrt(dot3(across, across));
    if (!(length > 1e-12)) return false;
    for (int i = 0; i < 3; i++) across[i] /= length;
    return true;
}

static void add_group(constraint *c, int rows)
{
    c->group_start[c->groups] = c->rows;
    c->group_rows[c->groups++] = rows;
    c->rows += rows;
}

/* Of a contact on rollers: the direction of the rim, and that of the axle, across which they roll; false if it lies on its side. */
static bool along_rollers(const geom *g, const double *normal, double *rim, double *axle)
{
    const dReal *turn = dGeomGetRotation(g->ode);
    const double axis[3] = {turn[2], turn[6], turn[10]};
    cross3(rim, axis, normal);
    const double length = sqrt(dot3(rim, rim));
    if (!(length > 1e-3)) return false;
    for (int i = 0; i < 3; i++) rim[i] /= length;
    cross3(axle, normal, rim);
    return true;
}

static void add_single(constraint *c)
{
    c->softness[c->rows] = 0;
    add_group(c, 1);
}

/* Full friction along the rim; along the axle no more than the rollers' own resistance; each for itself, as they turn on axles of their own. */
static void add_roller_rows(constraint *c, const contact_record *at, double radius, const double *rim, const double *axle)
{
    const pair_surface *s = at->surface;
    if (s->mu > 0) {
        point_row(c, c->jacobian[c->rows], at->position, rim, s->mu);
        add_single(c);
        if (s->rolling > 0) {
            point_row(c, c->jacobian[c->rows], at->position, axle, fmin(s->rolling / radius, s->mu));
            add_single(c);
        }
    }
    if (s->rolling > 0) {
        turning_row(c->jacobian[c->rows], axle, s->rolling);
        add_single(c);
    }
    if (s->spinning > 0) {
        turning_row(c->jacobian[c->rows], at->normal, s->spinning);
        add_single(c);
    }
}

void add_contact_rows(workspace *w, int record)
{
    const kernel *k = w->world;
    const contact_record *at = &k->contacts[record];
    const pair_surface *s = at->surface;
    constraint *c = new_constraint(w, at->first, at->second);
    c->contact = true, c->record = record, c->rows = 1;
    memset(c->target, 0, sizeof c->target), memset(c->softness, 0, sizeof c->softness);
    point_row(c, c->jacobian[0], at->position, at->normal, 1);
    c->shifts[0] = !s->springy;
    c->softness[0] = s->cfm / k->step;
    if (s->springy)
        c->target[0] = s->erp * at->depth / k->step;
    else {
        /* What rests goes as deep as the slack, wherever it touches: else contacts would come and go with the last bit. */
        c->target[0] = fmin(at->depth - SLACK, 0) / k->step;
        c->shift_target[0] = s->erp * (at->depth - SLACK) / k->step;
    }
    const double closing = -velocity_before(c, 0);
    /* An impact happens at the step's beginning: forces go on acting after it. */
    c->bounces = s->bounce > 0 && closing > s->bounce_velocity;
    if (c->bounces) c->kick = (1 + s->bounce) * closing;

    dVector3 one, other;
    const dVector3 normal = {at->normal[0], at->normal[1], at->normal[2]};
    const geom *wheel = at->pair->lower->roller_radius > 0 ? at->pair->lower : at->pair->higher;
    if (wheel->roller_radius > 0 && along_rollers(wheel, normal, one, other)) {
        add_roller_rows(c, at, wheel->roller_radius, one, other);
        return;
    }
    if (s->anisotropic && across_x_axis(at->first ? at->first : at->second, normal, one))
        cross3(other, normal, one);
    else
        dPlaneSpace(normal, one, other);
    if (s->mu > 0 || s->mu2 > 0) {
        point_row(c, c->jacobian[c->rows], at->position, one, s->mu);
        point_row(c, c->jacobian[c->rows + 1], at->position, other, s->mu2);
        c->softness[c->rows] = s->mu * s->mu * s->slip / k->step;
        c->softness[c->rows + 1] = s->mu2 * s->mu2 * s->slip2 / k->step;
        add_group(c, 2);
    }
    if (s->rolling > 0) {
        turning_row(c->jacobian[c->rows], one, s->rolling);
        turning_row(c->jacobian[c->rows + 1], other, s->rolling);
        add_group(c, 2);
    }
    if (s->spinning > 0) {
        turning_row(c->jacobian[c->rows], normal, s->spinning);
        add_group(c, 1);
    }
}
