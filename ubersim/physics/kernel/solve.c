/* A step's solution, from forces to new places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

/* The direct method's work grows with the square of an island's freedoms at least: so many take it some milliseconds. */
enum { MOST_DIRECT_FREEDOMS = 240, MOST_FREEDOMS_AT_ALL = 3000, FALLBACK_SWEEPS = 200, PRECESSION_ROUNDS = 2 };

const double SLACK = 1e-8; /* [m or rad] that stays of every depth, so that what rests keeps touching */

static void prepare(kernel *k, problem *p, constraint **items, int count, int freedoms, bool places)
{
    *p = (problem){.items = items, .count = count, .freedoms = freedoms, .places = places};
    k->vectors = grown(k->vectors, &k->vector_capacity, 4 * freedoms + 8, sizeof *k->vectors);
    k->indices = grown(k->indices, &k->index_capacity, freedoms + 8, sizeof *k->indices);
    p->y = k->vectors, p->residual = k->vectors + freedoms, p->scratch = k->vectors + 2 * freedoms, p->kept = k->vectors + 3 * freedoms;
    p->index = k->indices;
}

static bool is_direct(const kernel *k, int freedoms)
{
    if (k->solver == SOLVER_QUICK) return false;
    return freedoms <= (k->solver == SOLVER_EXACT ? MOST_FREEDOMS_AT_ALL : MOST_DIRECT_FREEDOMS);
}

static void solve_island(kernel *k, constraint **items, int count, bool places)
{
    problem p;
    const int freedoms = number_freedoms(k, items, count);
    if (!freedoms) return;
    prepare(k, &p, items, count, freedoms, places);
    if (!is_direct(k, freedoms)) {
        if (!places && k->solver == SOLVER_AUTO) k->quick_islands++;
        start_from_nothing(&p);
        sweep(&p, k->iterations);
        return;
    }
    k->matrix = grown(k->matrix, &k->matrix_capacity, freedoms * freedoms, sizeof *k->matrix);
    p.matrix = k->matrix;
    if (solve_directly(&p)) return;
    if (!places) k->failed_solves++;
    start_from_nothing(&p);
    sweep(&p, FALLBACK_SWEEPS);
}

/* Whether a constraint has no place to correct. Motors have none: they only keep out of the way of others' corrections. */
static bool is_idle(const constraint *c)
{
    answer a;
    respond(c, true, 1, c->velocity, &a);
    for (int row = 0; row < c->rows; row++)
        if (a.impulse[row] != 0 && (c->contact || c->low[row] == 0 || c->high[row] == 0 || c->high[row] == INFINITY)) return false;
    return true;
}

static void aim_to_bounce(constraint *c)
{
    const double given_up = fmax(c->give[0] - c->softness[0], 0) / c->reach[0]; /* for the sake of uniqueness, elsewhere */
    c->target[0] = fmax(c->target[0], c->velocity[0] + (1 + given_up) * c->kick);
}

static void solve_islands(kernel *k, bool places)
{
    for (int row = 0; row < k->bodies.count; row++) {
        constraint **items = k->constraints + k->island_start[row];
        const int count = k->island_start[row + 1] - k->island_start[row];
        bool idle = places;
        for (int i = 0; i < count; i++) {
            memset(items[i]->impulse, 0, sizeof items[i]->impulse);
            find_velocities(items[i], places);
            if (items[i]->bounces && !places) aim_to_bounce(items[i]);
            if (idle && !is_idle(items[i])) idle = false;
        }
        if (count && !idle) solve_island(k, items, count, places);
    }
}

/* Puts the impulses on the bodies; returns whether there were any. */
static bool apply_impulses(kernel *k, bool places)
{
    bool any = false;
    for (int i = 0; i < k->constraint_count; i++) {
        const constraint *c = k->constraints[i];
        for (int side = 0; side < 2; side++) {
            body *b = side ? c->second : c->first;
            if (!b || b->kinematic) continue;
            double *sum = places ? b->tree.correction : b->tree.momentum;
            for (int row = 0; row < c->rows; row++) {
                if (c->impulse[row] == 0) continue;
                any = true;
                for (int n = 0; n < 6; n++) sum[n] += c->impulse[row] * c->jacobian[row][6 * side + n];
            }
        }
    }
    return any;
}

/* What parts already at its new velocity needs no more than the rest of its correction. */
static void credit_parting(kernel *k)
{
    for (int i = 0; i < k->constraint_count; i++) {
        constraint *c = k->constraints[i];
        find_velocities(c, false);
        for (int row = 0; row < (c->contact ? 1 : c->rows); row++) {
            if (c->contact || c->low[row] == 0)
                c->shift_target[row] -= fmax(c->velocity[row], 0);
            else if (c->high[row] == 0)
                c->shift_target[row] -= fmin(c->velocity[row], 0);
        }
    }
}

static void find_velocities_of_all(kernel *k)
{
    move_trees(k, false);
    for (int i = 0; i < PRECESSION_ROUNDS && push_held_again(k); i++) move_trees(k, false);
    for (int i = 0; i < k->ordered; i++) {
        branch *t = &k->order[i]->tree;
        if (t->lonely) memcpy(t->free, t->motion, sizeof t->free);
    }
    solve_islands(k, false);
    if (apply_impulses(k, false)) move_trees(k, false);
}

/* Depths and drifting joints are mended by moving the bodies, apart from their velocities: nothing rebounds from that. */
static void find_shifts(kernel *k)
{
    credit_parting(k);
    for (int i = 0; i < k->ordered; i++) memset(k->order[i]->tree.correction, 0, sizeof k->order[i]->tree.correction);
    move_trees(k, true);
    solve_islands(k, true);
    if (apply_impulses(k, true)) move_trees(k, true);
}

void solve(kernel *k)
{
    k->quick_islands = 0;
    k->constraint_count = 0;
    give_back(&k->memory);
    plant_trees(k);
    push_flying(k);
    weigh_trees(k);
    push_held(k);
    add_joint_rows(k);
    for (int i = 0; i < k->contact_count; i++)
        if (k->contacts[i].surface) add_contact_rows(k, i);
    find_islands(k);
    for (int i = 0; i < k->constraint_count; i++) whiten(k, k->constraints[i]);
    find_velocities_of_all(k);
    keep_forces(k);
    find_held(k);
    find_shifts(k);
    integrate(k);
}
