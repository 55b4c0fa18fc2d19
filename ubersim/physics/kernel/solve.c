/* A step's solution, from forces to new places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

/* The direct method's work grows with the square of an island's freedoms at least: so many take it some milliseconds. */
enum { MOST_DIRECT_FREEDOMS = 240, MOST_FREEDOMS_AT_ALL = 3000, FALLBACK_SWEEPS = 200, PRECESSION_ROUNDS = 2 };

const double SLACK = 1e-8; /* [m or rad] that stays of every depth, so that what rests keeps touching */

static void prepare(workspace *w, problem *p, int freedoms, bool places)
{
    *p = (problem){.items = w->constraints, .count = w->constraint_count, .freedoms = freedoms, .places = places};
    p->blocks = w->blocks, p->block_count = w->block_count;
    w->vectors = grown(w->vectors, &w->vector_capacity, (4 + 1 + MOST_ROWS) * (freedoms + LANES), sizeof *w->vectors);
    p->y = w->vectors, p->residual = w->vectors + freedoms, p->kept = w->vectors + 2 * freedoms, p->last = w->vectors + 3 * freedoms;
    p->scratch = w->vectors + 4 * (freedoms + LANES);
}

bool is_direct(const kernel *k, int freedoms)
{
    if (k->solver == SOLVER_QUICK) return false;
    return freedoms <= (k->solver == SOLVER_EXACT ? MOST_FREEDOMS_AT_ALL : MOST_DIRECT_FREEDOMS);
}

static void find_impulses(workspace *w, int freedoms, bool places)
{
    problem p;
    const kernel *k = w->world;
    if (!freedoms) return;
    prepare(w, &p, freedoms, places);
    if (!is_direct(k, freedoms)) {
        if (!places && k->solver == SOLVER_AUTO) w->quick_islands++;
        start_from_nothing(&p);
        sweep(&p, k->iterations);
        return;
    }
    w->matrix = grown(w->matrix, &w->matrix_capacity, freedoms * freedoms, sizeof *w->matrix);
    p.matrix = w->matrix;
    if (solve_directly(&p)) return;
    if (!places) w->failed_solves++;
    start_from_nothing(&p);
    sweep(&p, FALLBACK_SWEEPS);
}

/* How far a row is from where it should be, of what it may correct [m or rad]. */
static double misplaced(const kernel *k, const constraint *c, int row)
{
    const double wanted = (c->shift_target[row] - c->velocity[row]) * k->step;
    if (!c->shifts[row]) return 0;
    if (c->contact || c->low[row] == 0) return fmax(wanted, 0);
    return c->high[row] == 0 ? fmax(-wanted, 0) : c->high[row] == INFINITY ? fabs(wanted) : 0;
}

/* Whether a constraint has no place to correct; however little it is, loads that several contacts share depend on it. Motors have none: they
   only keep out of the way of others' corrections. */
static bool is_idle(const kernel *k, const constraint *c)
{
    for (int row = 0; row < c->rows; row++)
        if (misplaced(k, c, row) > 0) return false;
    return true;
}

static void aim_to_bounce(constraint *c)
{
    const double given_up = fmax(c->give[0] - c->softness[0], 0) / c->reach[0]; /* for the sake of uniqueness, elsewhere */
    c->target[0] = fmax(c->target[0], c->velocity[0] + (1 + given_up) * c->kick);
}

/* Whether there is nothing to solve. */
static bool look_at_velocities(const workspace *w, bool places)
{
    bool idle = places || !w->constraint_count;
    for (int i = 0; i < w->constraint_count; i++) {
        constraint *c = w->constraints[i];
        memset(c->impulse, 0, sizeof c->impulse);
        find_velocities(c, places);
        if (c->bounces && !places) aim_to_bounce(c);
        if (idle && !is_idle(w->world, c)) idle = false;
    }
    return idle;
}

/* Whether there are any impulses; velocities' change the momenta. */
static bool apply_impulses(const workspace *w, bool places)
{
    bool any = false;
    for (int i = 0; i < w->constraint_count; i++) {
        const constraint *c = w->constraints[i];
        for (int row = 0; row < c->rows; row++) any |= c->impulse[row] != 0;
        for (int side = 0; side < 2 && !places; side++) {
            body *b = side ? c->second : c->first;
            if (!b || b->kinematic) continue;
            for (int row = 0; row < c->rows; row++)
                for (int n = 0; n < 6; n++) b->branch->momentum[n] += c->impulse[row] * c->jacobian[row][6 * side + n];
        }
    }
    return any;
}

/* Of a contact nothing but its normal says anything about places. */
static void leave_normals(const workspace *w)
{
    for (int i = 0; i < w->constraint_count; i++)
        if (w->constraints[i]->contact) w->constraints[i]->rows = 1, w->constraints[i]->groups = 0;
}

static bool parts_one_way(const constraint *c)
{
    if (c->contact) return true;
    for (int row = 0; row < c->rows; row++)
        if (c->low[row] == 0 || c->high[row] == 0) return true;
    return false;
}

/* What parts already at its new velocity needs no more than the rest of its correction. */
static void credit_parting(const workspace *w)
{
    for (int i = 0; i < w->constraint_count; i++) {
        constraint *c = w->constraints[i];
        if (!parts_one_way(c)) continue;
        find_velocities(c, false);
        for (int row = 0; row < c->rows; row++) {
            if (c->contact || c->low[row] == 0)
                c->shift_target[row] -= fmax(c->velocity[row], 0);
            else if (c->high[row] == 0)
                c->shift_target[row] -= fmin(c->velocity[row], 0);
        }
    }
}

static void find_velocities_of_all(workspace *w, int freedoms)
{
    move_trees(w, false);
    for (int i = 0; i < PRECESSION_ROUNDS && push_held_again(w); i++) move_trees_again(w);
    for (int i = 0; i < w->body_count; i++) {
        branch *t = &w->branches[i];
        if (t->lonely) memcpy(t->free, t->motion, sizeof t->free);
    }
    if (!look_at_velocities(w, false)) find_impulses(w, freedoms, false);
    if (apply_impulses(w, false)) move_trees_on(w, false);
}

/* Depths and drifting joints are mended by moving the bodies, apart from their velocities: nothing rebounds from that. */
static void find_shifts(workspace *w, int freedoms)
{
    leave_normals(w);
    credit_parting(w);
    move_trees(w, true);
    if (!look_at_velocities(w, true)) find_impulses(w, freedoms, true);
    if (apply_impulses(w, true)) move_trees_on(w, true);
}

void solve_island(workspace *w, const island *at)
{
    enter_island(w, at);
    add_joint_rows(w);
    for (int i = 0; i < at->contacts; i++) add_contact_rows(w, w->world->island_contacts[at->first_contact + i]);
    if (glides(w)) {
        glide(w);
        return;
    }
    push_flying(w);
    weigh_trees(w, false);
    push_held(w);
    for (int i = 0; i < w->constraint_count; i++) whiten(w, w->constraints[i]);
    const int freedoms = number_freedoms(w);
    find_velocities_of_all(w, freedoms);
    keep_forces(w);
    find_held(w);
    find_shifts(w, freedoms);
    integrate(w);
}

void solve(kernel *k)
{
    give_back(&k->memory);
    plant_trees(k);
    find_islands(k);
    k->space.world = k;
    k->space.quick_islands = k->space.failed_solves = 0, k->space.exploded = false;
    if (!solve_together(k))
        for (int i = 0; i < k->island_count; i++) solve_island(&k->space, &k->islands[i]);
    k->quick_islands = k->space.quick_islands;
    k->failed_solves += k->space.failed_solves;
    move_kinematic(k);
}
