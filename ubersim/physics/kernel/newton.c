/* The direct method: Newton's iteration on the whitened velocities y of one island, y = sum of rows times impulses. The laws of constraints
   bend at their edges only, so that it ends after as many rounds as it takes to find out what slips and what lifts off. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

enum { ROUNDS = 30, FEW_ROUNDS = 8, FEW_SWEEPS = 12, MOST_SWEEPS = 200, MOST_FOR_GROWING = 60, MOST_FOR_PATIENCE = 40, HALVINGS = 3, FEW_BRANCHES = 6, LONGEST_CIRCLE = 4 };
static const double TOLERANCE = 1e-5, SHORTEST_STRIDE = 0.004, SAME = 1e-3, SOFTER = 1e3;

/* Of a constraint whose freedoms are so many, filled up. */
static inline __attribute__((always_inline)) void find_row_velocities(const constraint *c, const double *y, double *restrict gathered, int stride, double *velocity)
{
    for (int i = 0; i < stride; i += LANES)
        for (int lane = 0; lane < LANES; lane++) gathered[i + lane] = y[c->index[i + lane]];
    for (int row = 0; row < c->rows; row++) velocity[row] = c->velocity[row] + dot_rows(c->whitened + row * stride, gathered, stride);
}

void row_velocities(const problem *p, const constraint *c, double *velocity)
{
    double few[12];
    if (c->stride == 8)
        find_row_velocities(c, p->y, few, 8, velocity);
    else if (c->stride == 12)
        find_row_velocities(c, p->y, few, 12, velocity);
    else
        find_row_velocities(c, p->y, p->scratch, c->stride, velocity);
}

static inline __attribute__((always_inline)) void add_to_run(double *y, const constraint *c, const double *impulse, const double *from, int length)
{
    double sums[9];
    for (int i = 0; i < length; i++) sums[i] = y[i];
    for (int row = 0; row < c->rows; row++, from += c->stride)
        if (impulse[row] != 0)
            for (int i = 0; i < length; i++) sums[i] += impulse[row] * from[i];
    for (int i = 0; i < length; i++) y[i] = sums[i];
}

static void add_to_long_run(double *restrict y, const constraint *c, const double *impulse, const double *restrict from, int length)
{
    for (int row = 0; row < c->rows; row++, from += c->stride)
        if (impulse[row] != 0)
            for (int i = 0; i < length; i++) y[i] += impulse[row] * from[i];
}

void add_impulses(const constraint *c, const double *impulse, double *y)
{
    const double *from = c->whitened;
    for (const run *r = c->runs; r < c->runs + c->run_count; from += r++->length)
        switch (r->length) {
        case 1: add_to_run(y + r->start, c, impulse, from, 1); break;
        case 6: add_to_run(y + r->start, c, impulse, from, 6); break;
        case 7: add_to_run(y + r->start, c, impulse, from, 7); break;
        case 8: add_to_run(y + r->start, c, impulse, from, 8); break;
        case 9: add_to_run(y + r->start, c, impulse, from, 9); break;
        default: add_to_long_run(y + r->start, c, impulse, from, r->length);
        }
}

/* slope * rows, of those rows that have any; returns how many these are, and `left` is where they begin. */
static int bend(const constraint *c, double *bent, const double **left)
{
    const int stride = c->stride, rows = c->rows;
    int count = 0;
    for (int row = 0; row < rows; row++) {
        double *line = bent + count * stride;
        bool any = false;
        for (int other = 0; other < rows; other++) {
            const double slope = c->answer.slope[row][other];
            if (slope == 0) continue;
            if (any)
                add_row_times(line, slope, c->whitened + other * stride, stride);
            else
                row_times(line, slope, c->whitened + other * stride, stride);
            any = true;
        }
        if (any) left[count++] = c->whitened + row * stride;
    }
    return count;
}

/* at += left^T * right, of some rows of both. */
static inline __attribute__((always_inline)) void add_product(double *restrict at, int across, const double *const *left, int start, const double *restrict right, int rows, int stride, int high, int wide)
{
    for (int i = start; i < start + high; i++, at += across) {
        for (int row = 0; row < rows; row++) {
            const double weight = left[row][i];
            for (int l = 0; l < wide; l++) at[l] += weight * right[row * stride + l];
        }
    }
}

/* The same where the width is known beforehand, as nearly always: that of a hinge, of a root, or of a root with up to three hinges on it. */
static inline __attribute__((always_inline)) void add_narrow(double *restrict at, int across, const double *const *left, int start, const double *restrict right, int rows, int stride, int high, int wide)
{
    for (int i = start; i < start + high; i++, at += across) {
        double sums[9];
        for (int l = 0; l < wide; l++) sums[l] = at[l];
#pragma GCC unroll 6
        for (int row = 0; row < rows; row++) {
            const double weight = left[row][i];
            for (int l = 0; l < wide; l++) sums[l] += weight * right[row * stride + l];
        }
        for (int l = 0; l < wide; l++) at[l] = sums[l];
    }
}

static inline __attribute__((always_inline)) void add_rows(double *at, int across, const double *const *left, int start, const double *right, int rows, int stride, run high, run wide)
{
    switch (wide.length) {
    case 1: add_narrow(at, across, left, start, right, rows, stride, high.length, 1); break;
    case 6: add_narrow(at, across, left, start, right, rows, stride, high.length, 6); break;
    case 7: add_narrow(at, across, left, start, right, rows, stride, high.length, 7); break;
    case 8: add_narrow(at, across, left, start, right, rows, stride, high.length, 8); break;
    case 9: add_narrow(at, across, left, start, right, rows, stride, high.length, 9); break;
    default: add_product(at, across, left, start, right, rows, stride, high.length, wide.length);
    }
}

/* matrix += rows^T * slope * rows, for rows that act on few bodies: block by block. */
static void add_slope_in_blocks(const problem *p, const constraint *c)
{
    const double *bent = p->scratch, *left[MOST_ROWS];
    const int rows = bend(c, p->scratch, left);
    if (!rows) return;
    for (int n = 0, start = 0; n < c->run_count; start += c->runs[n++].length)
        for (int m = 0, right = 0; m < c->run_count; right += c->runs[m++].length) {
            double *at = p->matrix + (size_t)c->runs[n].start * (size_t)p->freedoms + c->runs[m].start;
            switch (rows) {
            case 1: add_rows(at, p->freedoms, left, start, bent + right, 1, c->stride, c->runs[n], c->runs[m]); break;
            case 2: add_rows(at, p->freedoms, left, start, bent + right, 2, c->stride, c->runs[n], c->runs[m]); break;
            case 3: add_rows(at, p->freedoms, left, start, bent + right, 3, c->stride, c->runs[n], c->runs[m]); break;
            case 4: add_rows(at, p->freedoms, left, start, bent + right, 4, c->stride, c->runs[n], c->runs[m]); break;
            case 5: add_rows(at, p->freedoms, left, start, bent + right, 5, c->stride, c->runs[n], c->runs[m]); break;
            default: add_rows(at, p->freedoms, left, start, bent + right, MOST_ROWS, c->stride, c->runs[n], c->runs[m]);
            }
        }
}

/* The same for rows that act on many: line by line. */
static void add_slope_in_lines(const problem *p, const constraint *c)
{
    const double *bent = p->scratch, *left[MOST_ROWS];
    const int stride = c->stride, rows = bend(c, p->scratch, left);
    for (int i = 0; rows && i < c->length; i++) {
        double *line = p->matrix + (size_t)c->index[i] * (size_t)p->freedoms;
        for (int l = 0; l < stride; l += LANES) {
            double sums[LANES] = {0};
            for (int row = 0; row < rows; row++)
                for (int lane = 0; lane < LANES; lane++) sums[lane] += left[row][i] * bent[row * stride + l + lane];
            for (int lane = 0; lane < LANES; lane++) line[c->index[l + lane]] += sums[lane]; /* what fills up is zero */
        }
    }
}

static double length_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void find_velocities_now(const problem *p)
{
    for (int i = 0; i < p->count && p->at_rest; i++)
        for (int row = 0; row < p->items[i]->rows; row++) p->items[i]->now[row] = p->items[i]->velocity[row] + 0.0; /* which makes 0 of -0 */
    for (int i = 0; i < p->count && !p->at_rest; i++) row_velocities(p, p->items[i], p->items[i]->now);
}

/* Looks at every constraint where it stands, or (`moved`) where y has come to since; returns how far all of them are from their laws. It need not know by how much that is more than
   `enough`: what is so far away is not gone on from. */
static double look(problem *p, bool moved, double enough)
{
    double error = 0;
    for (int i = 0; i < p->count && error <= enough; i++) {
        constraint *c = p->items[i];
        if (moved) row_velocities(p, c, c->now);
        respond(c, p->places, p->friction, c->now, &c->answer);
        error += c->answer.error;
    }
    return error;
}

/* The way to the velocities at which all laws hold as they look from here; it is in the residual then. */
static bool newton_direction(problem *p)
{
    const int n = p->freedoms;
    clear_matrix(p);
    memset(p->residual, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < p->count; i++) {
        add_impulses(p->items[i], p->items[i]->answer.impulse, p->residual);
        (p->items[i]->branches <= FEW_BRANCHES ? add_slope_in_blocks : add_slope_in_lines)(p, p->items[i]);
    }
    for (int i = 0; i < n; i++) p->residual[i] -= p->y[i];
    return eliminate(p, p->residual);
}

static bool take_round(problem *p)
{
    if (!newton_direction(p)) return false;
    p->at_rest = false;
    for (int i = 0; i < p->freedoms; i++) p->y[i] += p->residual[i];
    for (int i = 0; i < p->count; i++) {
        constraint *c = p->items[i];
        double moved[MOST_ROWS];
        row_velocities(p, c, moved);
        for (int row = 0; row < c->rows; row++) {
            double impulse = c->answer.impulse[row];
            c->last[row] = c->impulse[row];
            for (int other = 0; other < c->rows; other++)
                if (c->answer.slope[row][other] != 0) impulse -= c->answer.slope[row][other] * (moved[other] - c->now[other]);
            c->impulse[row] = impulse;
        }
        memcpy(c->now, moved, sizeof moved);
    }
    return true;
}

static void keep(problem *p)
{
    memcpy(p->kept, p->y, (size_t)p->freedoms * sizeof(double));
    for (int i = 0; i < p->count; i++) memcpy(p->items[i]->kept, p->items[i]->impulse, sizeof p->items[i]->kept);
}

static void take_back(problem *p)
{
    memcpy(p->y, p->kept, (size_t)p->freedoms * sizeof(double));
    for (int i = 0; i < p->count; i++) memcpy(p->items[i]->impulse, p->items[i]->kept, sizeof p->items[i]->kept);
}

/* A round has led too far: half of its way, and half of that. Returns the error there, or anything more than `enough`. */
static double go_back(problem *p, double before, double enough)
{
    double error = INFINITY;
    for (int n = 0; n < HALVINGS && error > before; n++) {
        for (int i = 0; i < p->freedoms; i++) p->y[i] = 0.5 * (p->y[i] + p->last[i]);
        for (int i = 0; i < p->count; i++) {
            constraint *c = p->items[i];
            for (int row = 0; row < c->rows; row++) c->impulse[row] = 0.5 * (c->impulse[row] + c->last[row]);
        }
        error = look(p, true, n == HALVINGS - 1 ? enough : before);
    }
    return error;
}

/* Whether it goes round in circles: the error has been what it is now a few rounds ago. */
static bool returns(const double *errors, int round, double error)
{
    for (int ago = 2; ago <= LONGEST_CIRCLE && ago <= round; ago++)
        if (fabs(error - errors[(round - ago) % LONGEST_CIRCLE]) <= SAME * error) return true;
    return false;
}

/* Rounds until all laws hold. It is given up when it takes too many, when it goes round in circles, or (if it may not stray) when a round leads
   further away than it began. */
static bool iterate(problem *p, int rounds, bool straying)
{
    find_velocities_now(p);
    double error = look(p, false, INFINITY), errors[LONGEST_CIRCLE];
    const double farthest = straying ? 1e300 : error;
    for (int round = 0; round < rounds && error <= farthest; round++) {
        const double before = error;
        memcpy(p->last, p->y, (size_t)p->freedoms * sizeof(double));
        if (!take_round(p)) return false;
        error = look(p, false, before);
        if (error > before) error = go_back(p, before, farthest);
        if (error <= TOLERANCE * length_of(p->y, p->freedoms) + 1e-13) return true;
        if (returns(errors, round, error)) return false;
        errors[round % LONGEST_CIRCLE] = error;
    }
    return false;
}

/* Sweeps and Newton in turns: if it does not end from where the sweeps have come to, they go on from there. */
static bool take_turns(problem *p)
{
    start_from_nothing(p);
    for (int sweeps = FEW_SWEEPS; sweeps <= MOST_SWEEPS; sweeps *= 2) {
        sweep(p, sweeps);
        keep(p);
        if (iterate(p, FEW_ROUNDS, true)) return true;
        take_back(p);
    }
    return false;
}

/* From no friction to all of it, in strides that Newton can follow. */
static bool let_friction_grow(problem *p)
{
    double reached = 0, stride = 0.25;
    start_from_nothing(p);
    p->friction = 0;
    bool following = iterate(p, 2 * ROUNDS, true);
    while (following && reached < 1) {
        keep(p);
        p->friction = fmin(reached + stride, 1);
        if (iterate(p, ROUNDS, true)) {
            reached = p->friction;
            stride *= 1.5;
        } else {
            take_back(p);
            stride *= 0.4;
            following = stride > SHORTEST_STRIDE;
        }
    }
    p->friction = 1;
    return following;
}

/* With contacts that give way so much that they hardly get into each other's way. */
static bool solve_softly(problem *p)
{
    for (int i = 0; i < p->count; i++) soften(p->items[i], SOFTER);
    start_from_nothing(p);
    const bool found = iterate(p, ROUNDS, true) || take_turns(p);
    for (int i = 0; i < p->count; i++) harden(p->items[i]);
    return found;
}

/* Whether a solution was found; it is in the constraints' impulses. Most islands change so little that one round does. Crowds that push each
   other from all sides may have none that Newton gets to: they are told apart after a few rounds, for these are expensive there. */
bool solve_directly(problem *p)
{
    p->friction = 1;
    start_from_nothing(p);
    if (p->freedoms > MOST_FOR_PATIENCE && !p->places) return iterate(p, FEW_ROUNDS, false) || solve_softly(p);
    if (iterate(p, ROUNDS, true) || take_turns(p)) return true;
    if (p->freedoms <= MOST_FOR_GROWING && let_friction_grow(p)) return true;
    return !p->places && solve_softly(p);
}
