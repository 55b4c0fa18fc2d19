/* What joints ask of velocities beyond holding their bodies together: motors, stops, springs, and loops that have to close. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

static int add_row(constraint *c, double low, double high)
{
    const int row = c->rows++;
    memset(c->jacobian[row], 0, sizeof c->jacobian[row]);
    c->low[row] = low, c->high[row] = high;
    c->target[row] = c->softness[row] = c->shift_target[row] = 0;
    c->shifts[row] = true;
    return row;
}

static constraint *add_joint_constraint(workspace *w, joint *j)
{
    constraint *c = new_constraint(w, j->first, j->second);
    c->joint = j;
    return c;
}

/* The rate at which the first body turns about a direction against the second. */
static void turning_row(double *jacobian, const double *direction)
{
    for (int i = 0; i < 3; i++) jacobian[3 + i] = direction[i], jacobian[9 + i] = -direction[i];
}

/* The rate at which the bodies' points at the ends of the arms part along a direction. */
static void parting_row(double *jacobian, const double *direction, const double *arm, const double *other_arm)
{
    for (int i = 0; i < 3; i++) jacobian[i] = direction[i], jacobian[6 + i] = -direction[i];
    cross3(jacobian + 3, arm, direction);
    double turned[3];
    cross3(turned, other_arm, direction);
    for (int i = 0; i < 3; i++) jacobian[9 + i] = -turned[i];
}

static void axis_row(const joint *j, int axis, double *jacobian)
{
    double direction[3];
    joint_axis((joint *)j, axis, direction);
    if (j->kind == LMOTOR) {
        for (int i = 0; i < 3; i++) jacobian[i] = direction[i], jacobian[6 + i] = -direction[i];
    } else if (slides_along(j, axis)) {
        /* Any point will do that both bodies carry: the second's anchor. */
        double arm[3], other_arm[3] = {0};
        const double origin[3] = {0}, *here = j->first ? j->first->position : origin, *there = j->second ? j->second->position : origin;
        if (j->second)
            turn3(other_arm, j->second->rotation, j->anchors[1]);
        else
            memcpy(other_arm, j->anchors[1], sizeof other_arm);
        for (int i = 0; i < 3; i++) arm[i] = there[i] + other_arm[i] - here[i];
        parting_row(jacobian, direction, arm, other_arm);
    } else
        turning_row(jacobian, direction);
}

static double rate_before(const constraint *c, int row)
{
    double rate = 0;
    if (c->first) rate += dot3(c->jacobian[row], c->first->linear) + dot3(c->jacobian[row] + 3, c->first->angular);
    if (c->second) rate += dot3(c->jacobian[row] + 6, c->second->linear) + dot3(c->jacobian[row] + 9, c->second->angular);
    return rate;
}

/* A stop that is reached. One that is softer than the world is a spring; others are hard, and give their depth back apart from
   velocity, so that they bounce by their own restitution only. */
static void add_stop(const kernel *k, constraint *c, const double *jacobian, const double *parameters, bool lower, double depth)
{
    const bool locked = parameters[dParamLoStop] == parameters[dParamHiStop];
    const int row = add_row(c, locked || !lower ? -INFINITY : 0, locked || lower ? INFINITY : 0);
    memcpy(c->jacobian[row], jacobian, sizeof c->jacobian[row]);
    const double sign = lower ? 1 : -1, slack = locked ? 0 : SLACK;
    const double correction = parameters[dParamStopERP] / k->step;
    if (parameters[dParamStopCFM] > k->cfm) {
        c->target[row] = sign * correction * depth;
        c->softness[row] = parameters[dParamStopCFM] / k->step;
        c->shifts[row] = false;
    } else {
        c->target[row] = sign * fmin(depth - slack, 0) / k->step;
        c->shift_target[row] = sign * correction * (depth - slack);
    }
    const double bounced = -parameters[dParamBounce] * rate_before(c, row);
    if (!locked && sign * bounced > sign * c->target[row]) c->target[row] = bounced;
}

static bool has_stops(const double *parameters, bool sliding)
{
    const double low = parameters[dParamLoStop], high = parameters[dParamHiStop], furthest = sliding ? INFINITY : M_PI;
    if (!(low <= high)) return false;
    return sliding ? low > -furthest || high < furthest : low >= -furthest || high <= furthest;
}

/* Dry friction holds up to its bound; damping gives way by as much speed as there is force. */
static void add_resistance(const kernel *k, const joint *j, constraint *c, const double *jacobian)
{
    const double bounds[2] = {j->friction * k->step, INFINITY}, softness[2] = {0, j->damping > 0 ? 1 / (j->damping * k->step) : 0};
    for (int i = j->friction > 0 ? 0 : 1; i < (j->damping > 0 ? 2 : 1); i++) {
        const int row = add_row(c, -bounds[i], bounds[i]);
        memcpy(c->jacobian[row], jacobian, sizeof c->jacobian[row]);
        c->softness[row] = softness[i];
        c->shifts[row] = false;
    }
}

static void add_axis_rows(workspace *w, joint *j, int axis, constraint **rows)
{
    const kernel *k = w->world;
    const double *parameters = j->parameters[axis];
    const bool driven = parameters[dParamFMax] > 0, stopped = can_stop(j, axis) && has_stops(parameters, slides_along(j, axis));
    const bool resists = axis == 0 && (j->damping > 0 || j->friction > 0);
    if (!driven && !stopped && !resists) return;
    bool lower = false, upper = false;
    double position = 0;
    if (stopped) {
        position = joint_position(j, axis);
        lower = position <= parameters[dParamLoStop];
        upper = !lower && position >= parameters[dParamHiStop];
    }
    if (!driven && !lower && !upper && !resists) return;
    if (!*rows) *rows = add_joint_constraint(w, j);
    double jacobian[12] = {0};
    axis_row(j, axis, jacobian);
    if (driven && !((lower || upper) && parameters[dParamLoStop] == parameters[dParamHiStop])) {
        const int row = add_row(*rows, -parameters[dParamFMax] * k->step, parameters[dParamFMax] * k->step);
        memcpy((*rows)->jacobian[row], jacobian, sizeof jacobian);
        (*rows)->target[row] = parameters[dParamVel];
        if (parameters[dParamCFM] > k->cfm) (*rows)->softness[row] = parameters[dParamCFM] / k->step;
    }
    if (resists) add_resistance(k, j, *rows, jacobian);
    if (lower) add_stop(k, *rows, jacobian, parameters, true, parameters[dParamLoStop] - position);
    if (upper) add_stop(k, *rows, jacobian, parameters, false, position - parameters[dParamHiStop]);
}

static double lightness(const body *b) { return b && !b->kinematic ? 1 / b->mass : 0; }

/* A spring and a damper, told as ODE has them: what they would be if all was taken at the step's end. Those that swing slowly against the step are taken in its middle,
   which loses no energy to the step; stiffer ones at its end, where nothing can ring. */
static void add_spring(workspace *w, joint *j, constraint **rows)
{
    const kernel *k = w->world;
    joint_frame f;
    joint_stands(k, j, &f);
    if (!*rows) *rows = add_joint_constraint(w, j);
    constraint *c = *rows;
    const int row = add_row(c, -INFINITY, INFINITY);
    parting_row(c->jacobian[row], f.slide, f.arms[0], f.arms[1]);
    c->shifts[row] = false;
    const double erp = j->parameters[0][dParamSuspensionERP], hardness = k->step / j->parameters[0][dParamSuspensionCFM];
    const double spring = erp * hardness, damper = hardness - spring; /* impulses per velocity */
    if (hardness * (lightness(j->first) + lightness(j->second)) > 1) {
        c->target[row] = -erp / k->step * f.sag;
        c->softness[row] = 1 / hardness;
        return;
    }
    const double middle = spring / 4 + damper / 2;
    c->target[row] = ((spring / 4 - damper / 2) * rate_before(c, row) - spring / k->step * f.sag) / middle;
    c->softness[row] = 1 / middle;
}

static void two_across(const double *axis, double *one, double *other)
{
    dVector3 first, second;
    const dVector3 normal = {axis[0], axis[1], axis[2]};
    dPlaneSpace(normal, first, second);
    memcpy(one, first, 3 * sizeof(double));
    memcpy(other, second, 3 * sizeof(double));
}

/* A joint between bodies that other joints connect already: its rows keep it together. */
static void close_loop(workspace *w, joint *j)
{
    const kernel *k = w->world;
    joint_frame f;
    joint_stands(k, j, &f);
    double parting[3], turning[3];
    find_chord(k, j, &f, false, parting, turning);
    constraint *c = add_joint_constraint(w, j);
    double directions[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double rate = k->erp / k->step;
    int count = 3;
    if (f.slides) two_across(f.slide, directions[0], directions[1]), count = 2;
    for (int i = 0; i < count; i++) {
        const int row = add_row(c, -INFINITY, INFINITY);
        parting_row(c->jacobian[row], directions[i], f.arms[0], f.arms[1]);
        c->target[row] = dot3(directions[i], parting);
        c->shift_target[row] = -rate * dot3(directions[i], f.parting);
    }
    double across[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (f.turns == 1) two_across(f.turn[0], across[0], across[1]);
    if (f.turns == 2) cross3(across[0], f.turn[0], f.turn[1]);
    for (int i = 0; i < 3 - f.turns; i++) {
        const int row = add_row(c, -INFINITY, INFINITY);
        turning_row(c->jacobian[row], across[i]);
        c->target[row] = dot3(across[i], turning);
        c->shift_target[row] = rate * dot3(across[i], f.tilt);
    }
}

static void add_rows_of(workspace *w, joint *j)
{
    if (j->feedback) remember_joint(j);
    if (holds_together(j) && !j->in_tree) close_loop(w, j);
    constraint *rows = NULL;
    for (int axis = 0; axis < j->axis_count; axis++) add_axis_rows(w, j, axis, &rows);
    if (is_suspended(w->world, j)) add_spring(w, j, &rows);
}

void add_joint_rows(workspace *w)
{
    const kernel *k = w->world;
    for (int i = 0; i < w->island->trees; i++) {
        const tree *t = &k->trees[k->island_trees[w->island->first_tree + i]];
        for (int n = 0; n < t->joints; n++) add_rows_of(w, k->joint_order[t->first_joint + n]);
    }
}
