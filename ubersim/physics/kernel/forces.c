/* What constraints exerted in the step, for those who want to know. */
#include <string.h>

#include "kernel.h"
#include "spatial.h"

static void add_feedback(const kernel *k, joint *j, const double *first, const double *second)
{
    dJointFeedback *f = j->feedback;
    for (int i = 0; i < 3; i++) {
        f->f1[i] += first[i] / k->step, f->t1[i] += first[3 + i] / k->step;
        f->f2[i] += second[i] / k->step, f->t2[i] += second[3 + i] / k->step;
    }
}

static void keep_rows(kernel *k, const constraint *c)
{
    double impulses[12] = {0};
    for (int row = 0; row < c->rows; row++)
        for (int i = 0; i < 12; i++) impulses[i] += c->impulse[row] * c->jacobian[row][i];
    if (c->contact)
        for (int i = 0; i < 3; i++) k->contacts[c->record].force[i] = (c->first ? impulses[i] : -impulses[6 + i]) / k->step;
    if (c->joint && c->joint->feedback) add_feedback(k, c->joint, impulses, impulses + 6);
}

/* A tree's joint transmits what its body and all that hangs on it gained, and did not get elsewhere. */
static void keep_transmitted(const workspace *w)
{
    for (int i = w->body_count - 1; i >= 0; i--) {
        body *b = w->bodies[i];
        branch *t = b->branch;
        double gained[6];
        momentum_of(b, t->motion, gained);
        for (int n = 0; n < 6; n++) t->burden[n] = gained[n] - t->momentum[n];
    }
    for (int i = w->body_count - 1; i >= 0; i--) {
        body *b = w->bodies[i];
        branch *t = b->branch;
        if (t->parent) add_carried_impulse(t->parent->burden, t->burden, t->arm);
        if (!t->joint || !t->joint->feedback) continue;
        double carried[6] = {0}, back[6];
        add_carried_impulse(carried, t->burden, t->arm);
        for (int n = 0; n < 6; n++) back[n] = -carried[n];
        const bool first = t->joint->first == b;
        add_feedback(w->world, t->joint, first ? t->burden : back, first ? back : t->burden);
    }
}

/* Whether any joint is asked. */
static bool forget_feedback(const workspace *w)
{
    const kernel *k = w->world;
    bool any = false;
    for (int i = 0; i < w->island->trees; i++) {
        const tree *t = &k->trees[k->island_trees[w->island->first_tree + i]];
        for (int n = 0; n < t->joints; n++) {
            joint *j = k->joint_order[t->first_joint + n];
            if (!j->feedback) continue;
            memset(j->feedback, 0, sizeof *j->feedback);
            any = true;
        }
    }
    return any;
}

void keep_forces(const workspace *w)
{
    const bool asked = forget_feedback(w);
    for (int i = 0; i < w->constraint_count; i++) keep_rows(w->world, w->constraints[i]);
    if (asked) keep_transmitted(w);
}
