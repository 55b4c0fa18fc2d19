/* The solver's parts, from joints as they stand to new places. */
#ifndef UBERSIM_SOLVER_H
#define UBERSIM_SOLVER_H

#include "constraint.h"
#include "island.h"
#include "joint.h"
#include "tree.h"

bool holds_together(const joint *j);
bool is_suspended(const kernel *k, const joint *j);
bool slides_along(const joint *j, int axis);
bool can_stop(const joint *j, int axis);
void remember_frame(joint *j, const double *anchor);
void joint_stands(const kernel *k, const joint *j, joint_frame *f);

void find_chord(const kernel *k, const joint *j, const joint_frame *f, bool instant, double *parting, double *turning);

void plant_trees(kernel *k);
void weigh_trees(const workspace *w, bool instant);
void move_trees(const workspace *w, bool places);
void move_trees_again(const workspace *w);
void move_trees_on(const workspace *w, bool places);
void take_up(const branch *t, double kept, double *impulse, double *whitened);
void momentum_of(const body *b, const double *motion, double *momentum);

extern const double SLACK;
constraint *new_constraint(workspace *w, body *first, body *second);
void add_joint_rows(workspace *w);
void add_contact_rows(workspace *w, int record);
void whiten(workspace *w, constraint *c);
void find_velocities(constraint *c, bool places);
void find_islands(kernel *k);
void enter_island(workspace *w, const island *at);
void free_workspace(workspace *w);
bool is_direct(const kernel *k, int freedoms);
int number_freedoms(workspace *w);
void clear_matrix(const problem *p);
bool eliminate(const problem *p, double *x);
void harden(constraint *c);
void soften(constraint *c, double times);
double hold_within(const constraint *c, int group, const double *velocity, double limit, double *impulse);
double corrected(const constraint *c, int row, double target, double velocity);
void respond(const constraint *c, bool places, double friction, const double *velocity, answer *a);
void row_velocities(const problem *p, const constraint *c, double *velocity);
void add_impulses(const constraint *c, const double *impulse, double *y);
bool solve_directly(problem *p);
void start_from_nothing(problem *p);
void sweep(problem *p, int sweeps);
void solve_island(workspace *w, const island *at);
bool solve_together(kernel *k);
void dismiss_pool(kernel *k);
void keep_forces(const workspace *w);
void find_held(const workspace *w);
void settle(body *b, double time, const double *motion);
void integrate(workspace *w);
bool glides(const workspace *w);
void glide(workspace *w);
void move_kinematic(kernel *k);

#endif
