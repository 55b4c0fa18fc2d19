/* Joints as they stand: where they hold, about what they turn, along what they slide, and how far they have come apart. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

/* Which of a joint's axes it turns about (3: about any) and slides along; -1: none. */
static const struct {
    int turns, turn[2], slide;
} FREEDOMS[] = {
    [BALL] = {3, {0, 0}, -1},  [HINGE] = {1, {0, 0}, -1}, [HINGE2] = {2, {0, 1}, -1}, [SLIDER] = {0, {0, 0}, 0},
    [UNIVERSAL] = {2, {0, 1}, -1}, [FIXED] = {0, {0, 0}, -1}, [PISTON] = {1, {0, 0}, 0},  [PR] = {1, {1, 0}, 0},
    [PU] = {2, {0, 1}, 2},
};

static const double ORIGIN[3] = {0, 0, 0}, UPRIGHT[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static const double *place_of(const body *b) { return b ? b->position : ORIGIN; }
static const double *rotation_of(const body *b) { return b ? b->rotation : UPRIGHT; }

bool holds_together(const joint *j) { return j->kind != AMOTOR && j->kind != LMOTOR; }

/* When a joint is made: writes down where its anchor and its axes are in the frames of both bodies. */
void remember_frame(joint *j, const double *anchor)
{
    if (!holds_together(j)) return;
    const body *bodies[2] = {j->first, j->second};
    double point[3] = {0};
    memcpy(point, j->kind == SLIDER || j->kind == FIXED ? place_of(j->first ? j->first : j->second) : anchor, sizeof point);
    for (int side = 0; side < 2; side++) {
        const double *place = place_of(bodies[side]), arm[3] = {point[0] - place[0], point[1] - place[1], point[2] - place[2]};
        turn_back3(j->anchors[side], rotation_of(bodies[side]), arm);
        for (int axis = 0; axis < 3; axis++) {
            double direction[3];
            if (joint_axis(j, axis, direction) == KERNEL_FINE) turn_back3(j->axes[side][axis], rotation_of(bodies[side]), direction);
        }
    }
    const double *one = rotation_of(j->first), *other = rotation_of(j->second);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            j->orientation[3 * row + column] =
                other[row] * one[column] + other[4 + row] * one[4 + column] + other[8 + row] * one[8 + column];
    j->lean = dot3(j->axes[0][0], j->axes[0][1]);
}

/* The turn that would bring the first body to where the second one wants it, as far as its axes do not leave that free. */
static void find_tilt(const joint *j, joint_frame *f)
{
    const double *one = rotation_of(j->first), *other = rotation_of(j->second);
    memset(f->tilt, 0, sizeof f->tilt);
    if (f->turns == 0)
        for (int column = 0; column < 3; column++) {
            const double is[3] = {one[column], one[4 + column], one[8 + column]};
            const double seen[3] = {j->orientation[column], j->orientation[3 + column], j->orientation[6 + column]};
            double wanted[3];
            turn3(wanted, other, seen);
            add_cross3(f->tilt, 0.5, is, wanted);
        }
    else if (f->turns == 1) {
        double wanted[3];
        turn3(wanted, other, j->axes[1][FREEDOMS[j->kind].turn[0]]);
        cross3(f->tilt, f->turn[0], wanted);
    } else if (f->turns == 2) {
        double common[3];
        cross3(common, f->turn[0], f->turn[1]);
        const double excess = (j->lean - dot3(f->turn[0], f->turn[1])) / dot3(common, common);
        for (int i = 0; i < 3; i++) f->tilt[i] = excess * common[i];
    }
}

void joint_stands(const kernel *k, const joint *j, joint_frame *f)
{
    const double *one = rotation_of(j->first), *other = rotation_of(j->second);
    const double *here = place_of(j->first), *there = place_of(j->second);
    f->turns = FREEDOMS[j->kind].turns;
    for (int i = 0; i < 3; i++)
        for (int n = 0; n < 3 && f->turns == 3; n++) f->turn[i][n] = i == n;
    if (f->turns && f->turns < 3) turn3(f->turn[0], one, j->axes[0][FREEDOMS[j->kind].turn[0]]);
    if (f->turns == 2) turn3(f->turn[1], other, j->axes[1][FREEDOMS[j->kind].turn[1]]);
    const int slide = is_suspended(k, j) ? 0 : FREEDOMS[j->kind].slide;
    f->slides = slide >= 0;
    turn3(f->arms[0], one, j->anchors[0]);
    turn3(f->arms[1], other, j->anchors[1]);
    for (int i = 0; i < 3; i++) f->parting[i] = here[i] + f->arms[0][i] - there[i] - f->arms[1][i];
    f->sag = 0;
    if (f->slides) {
        turn3(f->slide, one, j->axes[0][slide]);
        f->sag = dot3(f->parting, f->slide);
        for (int i = 0; i < 3; i++) {
            f->parting[i] -= f->sag * f->slide[i];
            f->arms[0][i] = there[i] + f->arms[1][i] - here[i]; /* it turns where the second body's anchor is */
        }
    }
    find_tilt(j, f);
}

static const double *turning_of(const body *b) { return b ? b->angular : ORIGIN; }

/* For how long what turns bends away from its tangent: half a step, and less for what turns far in one, as (1 - cos x) / x^2 is nearly
   1 / (2 + x^2 / 6); all of it where accelerations are asked for. */
static double bending_time(const kernel *k, bool instant, const double *turning)
{
    return instant ? k->step : k->step / (2 + k->step * k->step * dot3(turning, turning) / 6);
}

/* By how much the chord of a point at `arm` of a turning body differs from its tangent. */
static void add_bend(double *sum, double time, const double *turning, const double *arm)
{
    double once[3];
    cross3(once, turning, arm);
    add_cross3(sum, time, turning, once);
}

/* Velocities are constant within a step, and what turns moves along a chord of its circle instead of the tangent. `parting` and `turning` are what
   the first body's velocities have to differ by from those that the joint would allow at the step's beginning; or, `instant`, what its accelerations have to
   differ by, times the step. */
void find_chord(const kernel *k, const joint *j, const joint_frame *f, bool instant, double *parting, double *turning)
{
    const double *one = turning_of(j->first), *other = turning_of(j->second);
    const double time = bending_time(k, instant, one), other_time = bending_time(k, instant, other);
    memset(parting, 0, 3 * sizeof(double)), memset(turning, 0, 3 * sizeof(double));
    add_bend(parting, other_time, other, f->arms[1]);
    add_bend(parting, -time, one, f->arms[0]);
    if (f->slides) {
        double rate[3] = {0};
        for (int side = 0; side < 2; side++) {
            const body *b = side ? j->second : j->first;
            if (!b) continue;
            for (int i = 0; i < 3; i++) rate[i] += side ? -b->linear[i] : b->linear[i];
            add_cross3(rate, side ? -1 : 1, b->angular, f->arms[side]);
        }
        add_cross3(parting, 2 * time * dot3(rate, f->slide), one, f->slide);
    }
    if (f->turns == 1) {
        double bend[3] = {0};
        add_bend(bend, -time, one, f->turn[0]);
        add_bend(bend, other_time, other, f->turn[0]);
        cross3(turning, f->turn[0], bend);
    } else if (f->turns == 2) {
        double common[3], first[3], second[3], change[3] = {0}, apart[3];
        cross3(common, f->turn[0], f->turn[1]);
        cross3(first, one, f->turn[0]);
        cross3(second, other, f->turn[1]);
        add_cross3(change, 1, first, f->turn[1]);
        add_cross3(change, 1, f->turn[0], second);
        for (int i = 0; i < 3; i++) apart[i] = one[i] - other[i];
        const double share = -fmin(time, other_time) * dot3(apart, change) / dot3(common, common);
        for (int i = 0; i < 3; i++) turning[i] = share * common[i];
    }
}

/* A hinge2 whose suspension is softer than the world slides along its first axis, held by a spring. */
bool is_suspended(const kernel *k, const joint *j)
{
    return j->kind == HINGE2 && j->parameters[0][dParamSuspensionCFM] > k->cfm;
}
