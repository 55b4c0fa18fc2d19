/* The direct method: Newton's iteration on the whitened velocities y of one island, y = sum of rows times impulses. The laws of constraints
   bend at their edges only, so that it ends after as many rounds as it takes to find out what slips and what lifts off. */
#include <math.h>
#include <string.h>

#include "kernel.h"

enum { ROUNDS = 30, FEW_ROUNDS = 8, FEW_SWEEPS = 12, MOST_SWEEPS = 200, MOST_FOR_GROWING = 60, MOST_FOR_PATIENCE = 40, HALVINGS = 3 };
static const double TOLERANCE = 1e-5, SHORTEST_STRIDE = 0.004, SAME = 1e-3, SOFTER = 1e3;

static int offset_of(const constraint *c, int n) { return c->support[n]->tree.first_freedom; }

void row_velocities(const constraint *c, const double *y, double *velocity)
{
    for (int row = 0; row < c->rows; row++) velocity[row] = c->velocity[row];
    int place = 0;
    for (int n = 0; n < c->branches; n++) {
        const int freedoms = c->support[n]->tree.freedoms;
        const double *part = y + offset_of(c, n);
        for (int row = 0; row < c->rows; row++) {
            const double *w = c->whitened + row * c->length + place;
            for (int i = 0; i < freedoms; i++) velocity[row] += w[i] * part[i];
        }
        place += freedoms;
    }
}

void add_impulses(const constraint *c, const double *impulse, double *y)
{
    int place = 0;
    for (int n = 0; n < c->branches; n++) {
        const int freedoms = c->support[n]->tree.freedoms;
        double *part = y + offset_of(c, n);
        for (int row = 0; row < c->rows; row++) {
            if (impulse[row] == 0) continue;
            const double *w = c->whitened + row * c->length + place;
            for (int i = 0; i < freedoms; i++) part[i] += w[i] * impulse[row];
        }
        place += freedoms;
    }
}

/* matrix += rows^T * slope * rows */
static void add_slope(const problem *p, const constraint *c)
{
    const int length = c->length;
    int *index = p->index, place = 0;
    double *bent = p->scratch;
    for (int n = 0; n < c->branches; n++)
        for (int i = 0; i < c->support[n]->tree.freedoms; i++) index[place++] = offset_of(c, n) + i;
    for (int row = 0; row < c->rows; row++) {
        bool any = false;
        for (int i = 0; i < length; i++) bent[i] = 0;
        for (int other = 0; other < c->rows; other++) {
            const double slope = c->answer.slope[row][other];
            if (slope == 0) continue;
            any = true;
            for (int i = 0; i < length; i++) bent[i] += slope * c->whitened[other * length + i];
        }
        if (!any) continue;
        for (int i = 0; i < length; i++) {
            const double weight = c->whitened[row * length + i];
            if (weight == 0) continue;
            double *line = p->matrix + (size_t)index[i] * (size_t)p->freedoms;
            for (int j = 0; j < length; j++) line[index[j]] += weight * bent[j];
        }
    }
}

/* Gauss without pivoting, but with an eye for zeros: leaves come before what carries them, so that trees fill nothing in. */
static bool eliminate(double *matrix, int n, double *x, int *columns)
{
    for (int j = 0; j < n; j++) {
        const double *line = matrix + (size_t)j * (size_t)n, pivot = line[j];
        if (!(fabs(pivot) > 1e-6)) return false;
        int count = 0;
        for (int i = j + 1; i < n; i++)
            if (line[i] != 0) columns[count++] = i;
        const double inverse = 1 / pivot;
        for (int i = j + 1; i < n; i++) {
            double *lower = matrix + (size_t)i * (size_t)n;
            if (lower[j] == 0) continue;
            const double share = lower[j] * inverse;
            if (count == n - j - 1)
                for (int l = j + 1; l < n; l++) lower[l] -= share * line[l];
            else
                for (int l = 0; l < count; l++) lower[columns[l]] -= share * line[columns[l]];
            x[i] -= share * x[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *line = matrix + (size_t)i * (size_t)n;
        double sum = x[i];
        for (int j = i + 1; j < n; j++) sum -= line[j] * x[j];
        x[i] = sum / line[i];
    }
    return true;
}

static double length_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Looks at every constraint where it stands; returns how far all of them are from their laws. */
static double look(problem *p)
{
    double error = 0;
    for (int i = 0; i < p->count; i++) {
        constraint *c = p->items[i];
        row_velocities(c, p->y, c->now);
        respond(c, p->places, p->friction, c->now, &c->answer);
        error += c->answer.error;
    }
    return error;
}

/* The way to the velocities at which all laws hold as they look from here; it is in the residual then. */
static bool newton_direction(problem *p)
{
    const int n = p->freedoms;
    memset(p->matrix, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(p->residual, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) p->matrix[(size_t)i * (size_t)n + i] = 1;
    for (int i = 0; i < p->count; i++) {
        add_impulses(p->items[i], p->items[i]->answer.impulse, p->residual);
        add_slope(p, p->items[i]);
    }
    for (int i = 0; i < n; i++) p->residual[i] -= p->y[i];
    return eliminate(p->matrix, n, p->residual, p->index);
}

static bool take_round(problem *p)
{
    if (!newton_direction(p)) return false;
    for (int i = 0; i < p->freedoms; i++) p->y[i] += p->residual[i];
    for (int i = 0; i < p->count; i++) {
        constraint *c = p->items[i];
        double moved[MOST_ROWS];
        row_velocities(c, p->y, moved);
        for (int row = 0; row < c->rows; row++) {
            double impulse = c->answer.impulse[row];
            c->last[row] = c->impulse[row];
            for (int other = 0; other < c->rows; other++)
                if (c->answer.slope[row][other] != 0) impulse -= c->answer.slope[row][other] * (moved[other] - c->now[other]);
            c->impulse[row] = impulse;
        }
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

/* A round may lead too far: half of its way, and half of that. Returns the error there. */
static double go_back(problem *p, double error, double before)
{
    for (int n = 0; n < HALVINGS && error > before; n++) {
        for (int i = 0; i < p->freedoms; i++) p->y[i] = 0.5 * (p->y[i] + p->last[i]);
        for (int i = 0; i < p->count; i++) {
            constraint *c = p->items[i];
            for (int row = 0; row < c->rows; row++) c->impulse[row] = 0.5 * (c->impulse[row] + c->last[row]);
        }
        error = look(p);
    }
    return error;
}

/* Rounds until all laws hold. It is given up when it takes too many, when it goes to and fro, or (if it may not stray) when a round leads
   further away than it began. */
static bool iterate(problem *p, int rounds, bool straying)
{
    double error = look(p), before = INFINITY;
    const double farthest = straying ? 1e300 : error;
    for (int round = 0; round < rounds && error <= farthest; round++) {
        const double earlier = before;
        before = error;
        memcpy(p->last, p->y, (size_t)p->freedoms * sizeof(double));
        if (!take_round(p)) return false;
        error = look(p);
        if (error > before) error = go_back(p, error, before);
        if (error <= TOLERANCE * length_of(p->y, p->freedoms) + 1e-13) return true;
        if (fabs(error - earlier) <= SAME * error) return false;
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
    const bool found = iterate(p, ROUNDS, true);
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
    if (iterate(p, ROUNDS, p->freedoms <= MOST_FOR_PATIENCE) || take_turns(p)) return true;
    return p->freedoms <= MOST_FOR_GROWING && let_friction_grow(p);
}
