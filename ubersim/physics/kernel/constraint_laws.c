/* The law of every constraint: which impulses go with which velocities. */
#include <math.h>
#include <string.h>

#include "kernel.h"

enum { DISC_ROUNDS = 12 };

/* Nothing is harder than a small share of what the bodies give way themselves. That is far below anything that can be seen, and enough to
   make forces unique where several contacts share a load, or pull against each other. */
static const double JOINT_GIVE = 1e-8, NORMAL_GIVE = 1e-6, FRICTION_GIVE = 1e-4;

static double target_of(const constraint *c, int row, bool places) { return places ? c->shift_target[row] : c->target[row]; }

/* Rows of a group share their hardness, so that friction is the same in all directions. */
void harden(constraint *c)
{
    const double share = c->contact ? NORMAL_GIVE : JOINT_GIVE;
    for (int row = 0; row < c->rows; row++) {
        c->root[row] = sqrt(c->diagonal[row]);
        c->reach[row] = c->diagonal[row];
        c->give[row] = fmax(c->softness[row], share * c->reach[row]);
    }
    for (int group = 0; group < c->groups; group++) {
        const int start = c->group_start[group], last = start + c->group_rows[group] - 1;
        const double widest = fmax(c->diagonal[start], c->diagonal[last]);
        for (int row = start; row <= last; row++) {
            c->reach[row] = widest;
            c->give[row] = fmax(c->softness[row], FRICTION_GIVE * widest);
        }
    }
    for (int row = 0; row < c->rows; row++) c->hardness[row] = 1 / c->give[row];
}

/* Contacts give way by so many times as much; not those that are springs anyway. */
void soften(constraint *c, double times)
{
    for (int row = 0; row < (c->contact ? c->rows : 0); row++)
        if (c->give[row] > c->softness[row]) c->hardness[row] = 1 / (c->give[row] *= times);
}

/* What a row's impulse would become if it were corrected alone. */
double corrected(const constraint *c, int row, double target, double velocity)
{
    const double impulse = c->impulse[row];
    return impulse + (target - velocity - c->give[row] * impulse) / (c->reach[row] + c->give[row]);
}

static void follow(const constraint *c, int row, double target, double velocity, answer *a)
{
    a->impulse[row] = (target - velocity) / c->give[row];
    a->slope[row][row] = c->hardness[row];
}

/* A row with bounds of its own. */
static void answer_row(const constraint *c, int row, bool places, double velocity, answer *a)
{
    if (!(c->reach[row] > 0) || (places && !c->shifts[row])) return;
    const double target = target_of(c, row, places), wanted = corrected(c, row, target, velocity);
    if (wanted > c->low[row] && wanted < c->high[row])
        follow(c, row, target, velocity, a);
    else
        a->impulse[row] = wanted <= c->low[row] ? c->low[row] : c->high[row];
    a->error += fabs(fmin(fmax(wanted, c->low[row]), c->high[row]) - c->impulse[row]) * c->root[row];
}

/* What a group's impulses would become if they were corrected alone: those that hold, or, if these are longer than the limit, those as long
   as the limit against which the slip remains. Returns that slip per impulse; 0: it holds. */
double hold_within(const constraint *c, int group, const double *velocity, double limit, double *impulse)
{
    const int start = c->group_start[group];
    const double *now = c->impulse + start, *give = c->give + start;
    if (c->group_rows[group] == 1) {
        const double wanted = corrected(c, start, 0, velocity[start]), reach = c->reach[start] + give[0];
        impulse[0] = fmin(fmax(wanted, -limit), limit);
        return fabs(wanted) <= limit ? 0 : limit > 0 ? (fabs(wanted) / limit - 1) * reach : INFINITY;
    }
    const double a = c->diagonal[start] + give[0], b = c->cross[group], d = c->diagonal[start + 1] + give[1];
    const double pull[2] = {
        a * now[0] + b * now[1] - velocity[start] - give[0] * now[0],
        b * now[0] + d * now[1] - velocity[start + 1] - give[1] * now[1],
    };
    double slip = 0, length = 0;
    for (int round = 0; round < DISC_ROUNDS; round++) {
        const double wide = a + slip, high = d + slip, determinant = wide * high - b * b;
        impulse[0] = (high * pull[0] - b * pull[1]) / determinant;
        impulse[1] = (wide * pull[1] - b * pull[0]) / determinant;
        const double square = impulse[0] * impulse[0] + impulse[1] * impulse[1];
        length = sqrt(square);
        if (length <= limit * (1 + 1e-12)) break;
        if (!(limit > 0)) {
            slip = INFINITY;
            break;
        }
        /* Newton on 1 / length, which is nearly straight in the slip. */
        const double bend = (high * impulse[0] * impulse[0] - 2 * b * impulse[0] * impulse[1] + wide * impulse[1] * impulse[1]) / determinant;
        slip += (length / limit - 1) * square / bend;
    }
    if (length > limit) impulse[0] *= limit / length, impulse[1] *= limit / length;
    return slip;
}

/* Friction that holds, or goes with the normal impulse along the slip, and turns with it. */
static void answer_group(const constraint *c, int group, double friction, const double *velocity, double limit, answer *a)
{
    const int start = c->group_start[group], rows = c->group_rows[group];
    if (!(c->reach[start] > 0)) return;
    double wanted[2] = {0}, direction[2];
    const double slip = hold_within(c, group, velocity, limit, wanted);
    for (int i = 0; i < rows; i++) a->error += fabs(wanted[i] - c->impulse[start + i]) * c->root[start + i];
    if (slip == 0) {
        for (int i = 0; i < rows; i++) follow(c, start + i, 0, velocity[start + i], a);
        return;
    }
    if (!(limit > 0)) return;
    for (int i = 0; i < rows; i++) direction[i] = wanted[i] / limit;
    const double turning = 1 / (slip + c->give[start]);
    for (int i = 0; i < rows; i++) {
        a->impulse[start + i] = friction * a->impulse[0] * direction[i];
        a->slope[start + i][0] = friction * a->slope[0][0] * direction[i];
        for (int j = 0; j < rows; j++) {
            const double across = turning * ((i == j) - direction[i] * direction[j]);
            a->impulse[start + i] -= across * velocity[start + j];
            a->slope[start + i][start + j] = across;
        }
    }
}

/* The impulses that go with velocities near these, as a linear law: impulse - slope * (change of velocity). Which branch of the law holds is
   told by the constraint's present impulses and velocities together; `error` is how far they are from it. */
void respond(const constraint *c, bool places, double friction, const double *velocity, answer *a)
{
    a->error = 0;
    for (int row = 0; row < c->rows; row++) {
        a->impulse[row] = 0;
        memset(a->slope[row], 0, sizeof a->slope[row]);
    }
    if (!c->contact) {
        for (int row = 0; row < c->rows; row++) answer_row(c, row, places, velocity[row], a);
        return;
    }
    if (!(c->reach[0] > 0) || (places && !c->shifts[0])) return;
    const double target = target_of(c, 0, places), wanted = fmax(corrected(c, 0, target, velocity[0]), 0);
    a->error += fabs(wanted - c->impulse[0]) * c->root[0];
    if (wanted > 0) follow(c, 0, target, velocity[0], a);
    if (places) return;
    for (int group = 0; group < c->groups; group++)
        if (wanted > 0)
            answer_group(c, group, friction, velocity, friction * wanted, a);
        else
            for (int i = 0; i < c->group_rows[group]; i++) a->error += fabs(c->impulse[c->group_start[group] + i]) * c->root[c->group_start[group] + i];
}
