/* Constraints seen from the freedoms of the trees, in units in which all inertia is 1: there two rows feel each other by nothing but their
   scalar product. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

constraint *new_constraint(workspace *w, body *first, body *second)
{
    constraint *c = borrow(&w->memory, sizeof *c);
    c->first = first, c->second = second;
    c->contact = c->bounces = c->coupled = false;
    c->rows = c->groups = 0;
    c->joint = NULL;
    c->record = -1;
    if (w->constraint_count == w->constraint_capacity) w->constraints = grown(w->constraints, &w->constraint_capacity, w->constraint_count + 1, sizeof *w->constraints);
    w->constraints[w->constraint_count++] = c;
    return c;
}

static body *dynamic(body *b) { return b && !b->kinematic ? b : NULL; }

/* Of two paths towards the roots, the one to go on with: both end together where they meet. */
static int deeper(body *const *at) { return !at[0] || (at[1] && at[1]->tree.depth > at[0]->tree.depth); }

/* The bodies whose freedoms the rows act on: those on the way from both bodies to where the paths meet, and on to the root. */
static void find_support(workspace *w, constraint *c)
{
    body *at[2] = {dynamic(c->first), dynamic(c->second)};
    const int depths = (at[0] ? at[0]->tree.depth + 1 : 0) + (at[1] ? at[1]->tree.depth + 1 : 0);
    c->support = borrow(&w->memory, (size_t)depths * sizeof *c->support);
    c->branches = c->length = 0;
    while (at[0] || at[1]) {
        if (at[0] == at[1]) at[1] = NULL;
        const int side = deeper(at);
        branch *t = at[side]->branch;
        if (t->freedoms) c->support[c->branches++] = t;
        c->length += t->freedoms;
        at[side] = at[side]->tree.parent;
    }
}

/* How the rows' unit impulses run down the trees. */
static void run_down(constraint *c)
{
    double impulses[2][MOST_ROWS][6];
    body *at[2] = {dynamic(c->first), dynamic(c->second)};
    int place = 0;
    for (int side = 0; side < 2; side++)
        for (int row = 0; row < c->rows; row++) memcpy(impulses[side][row], c->jacobian[row] + 6 * side, 6 * sizeof(double));
    while (at[0] || at[1]) {
        if (at[0] == at[1]) {
            for (int row = 0; row < c->rows; row++)
                for (int i = 0; i < 6; i++) impulses[0][row][i] += impulses[1][row][i];
            at[1] = NULL;
        }
        const int side = deeper(at);
        const branch *t = at[side]->branch;
        for (int row = 0; row < c->rows; row++) {
            double left[6] = {0};
            take_up(t, 0, impulses[side][row], c->whitened + row * c->stride + place);
            if (!t->parent) continue;
            add_carried_impulse(left, impulses[side][row], t->arm);
            memcpy(impulses[side][row], left, sizeof left);
        }
        place += t->freedoms;
        at[side] = at[side]->tree.parent;
    }
}

void whiten(workspace *w, constraint *c)
{
    find_support(w, c);
    c->stride = (c->length + LANES - 1) / LANES * LANES;
    c->whitened = borrow(&w->memory, (size_t)c->stride * (size_t)c->rows * sizeof(double));
    for (int row = 1; c->length && row <= c->rows; row++) memset(c->whitened + row * c->stride - LANES, 0, LANES * sizeof(double)); /* what fills up stays */
    run_down(c);
    for (int row = 0; row < c->rows; row++) {
        const double *whitened = c->whitened + row * c->stride;
        c->diagonal[row] = dot_rows(whitened, whitened, c->stride);
    }
    for (int group = 0; group < c->groups; group++) {
        const double *one = c->whitened + c->group_start[group] * c->stride, *other = one + c->stride;
        c->cross[group] = c->group_rows[group] == 2 ? dot_rows(one, other, c->stride) : 0;
    }
    harden(c);
}

/* A row's velocity without any impulse of a constraint. */
void find_velocities(constraint *c, bool places)
{
    const body *bodies[2] = {c->first, c->second};
    memset(c->velocity, 0, sizeof c->velocity);
    for (int side = 0; side < 2; side++) {
        const body *b = bodies[side];
        if (!b || (b->kinematic && places)) continue;
        double told[6];
        const double *motion = told;
        if (b->kinematic) {
            memcpy(told, b->linear, 3 * sizeof(double));
            memcpy(told + 3, b->angular, 3 * sizeof(double));
        } else
            motion = places ? b->branch->shift : b->branch->motion;
        for (int row = 0; row < c->rows; row++) c->velocity[row] += dot6(c->jacobian[row] + 6 * side, motion);
    }
}
