/* The iterative method: one constraint after the other, there and back again, each corrected as if the others stayed as they are. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

/* What the rows of one constraint change each other by; the sweeps alone want to know. */
static void find_coupling(constraint *c)
{
    for (int row = 0; row < c->rows; row++)
        for (int other = 0; other <= row; other++) {
            const double sum = dot_rows(c->whitened + row * c->stride, c->whitened + other * c->stride, c->stride);
            c->coupling[row][other] = c->coupling[other][row] = sum;
        }
    c->coupled = true;
}

/* Takes over new impulses of some rows, and what they change. */
static void exchange(constraint *c, int start, int count, const double *impulse, double *velocity, double *change)
{
    for (int row = start; row < start + count; row++) {
        const double more = impulse[row - start] - c->impulse[row];
        if (more == 0) continue;
        c->impulse[row] += more;
        change[row] += more;
        for (int other = 0; other < c->rows; other++) velocity[other] += c->coupling[row][other] * more;
    }
}

static void relax_row(constraint *c, int row, bool places, double *velocity, double *change)
{
    if (!(c->reach[row] > 0) || (places && !c->shifts[row])) return;
    const double low = c->contact ? 0 : c->low[row], high = c->contact ? INFINITY : c->high[row];
    const double wanted = corrected(c, row, places ? c->shift_target[row] : c->target[row], velocity[row]);
    const double impulse = fmin(fmax(wanted, low), high);
    exchange(c, row, 1, &impulse, velocity, change);
}

static void relax(const problem *p, constraint *c)
{
    double velocity[MOST_ROWS], change[MOST_ROWS] = {0}, impulse[2];
    row_velocities(p, c, velocity);
    for (int row = 0; row < (c->contact ? 1 : c->rows); row++) relax_row(c, row, p->places, velocity, change);
    for (int group = 0; group < c->groups && !p->places; group++) {
        const int start = c->group_start[group];
        if (!(c->reach[start] > 0)) continue;
        hold_within(c, group, velocity, c->impulse[0], impulse);
        exchange(c, start, c->group_rows[group], impulse, velocity, change);
    }
    add_impulses(c, change, p->y);
}

void start_from_nothing(problem *p)
{
    p->at_rest = true;
    memset(p->y, 0, (size_t)p->freedoms * sizeof(double));
    for (int i = 0; i < p->count; i++) memset(p->items[i]->impulse, 0, sizeof p->items[i]->impulse);
}

static void sweep_once(problem *p, bool back)
{
    for (int i = 0; i < p->count; i++) relax(p, p->items[back ? p->count - 1 - i : i]);
}

/* How far the last sweep went, in units of velocity; `kept` are the impulses before it. */
static double gone(const problem *p)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        for (int row = 0; row < p->items[i]->rows; row++) {
            const double way = p->items[i]->impulse[row] - p->items[i]->kept[row];
            sum += way * way * p->items[i]->diagonal[row];
        }
    return sum;
}

/* Goes on in the direction of the last sweeps, as conjugate gradients do, as long as that leads closer. */
static void go_on(problem *p, double share)
{
    for (int i = 0; i < p->count; i++) {
        constraint *c = p->items[i];
        double further[MOST_ROWS];
        for (int row = 0; row < c->rows; row++) {
            const double way = c->impulse[row] - c->kept[row];
            further[row] = share * c->direction[row];
            c->impulse[row] += further[row];
            c->direction[row] = further[row] + way;
        }
        if (share > 0) add_impulses(c, further, p->y);
    }
}

void sweep(problem *p, int sweeps)
{
    double before = 0;
    p->at_rest = false;
    for (int i = 0; i < p->count; i++) {
        memset(p->items[i]->direction, 0, sizeof p->items[i]->direction);
        if (!p->items[i]->coupled) find_coupling(p->items[i]);
    }
    for (int n = 0; n < sweeps; n++) {
        for (int i = 0; i < p->count; i++) memcpy(p->items[i]->kept, p->items[i]->impulse, sizeof p->items[i]->kept);
        sweep_once(p, n % 2);
        if (n + 1 == sweeps) return; /* ends within all bounds */
        const double now = gone(p);
        go_on(p, before > 0 && now <= before ? now / before : 0);
        before = now;
    }
}
