/* Bodies: where they are, what they weigh, what they go through. */
#ifndef UBERSIM_BODY_H
#define UBERSIM_BODY_H

#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>

#include "tree.h"

enum { STATE_ROW = 28 /* doubles of a body in a snapshot */ };

struct body { /* what a step looks at first */
    /* ODE's own memory of this body, for bulk export and exact restore. */
    double *position, *rotation, *linear, *angular, *quaternion, *force, *torque;
    dBodyID ode;
    limb tree;
    branch *branch; /* while its island is solved */
    bool kinematic; /* moves as it is told: nothing pushes it */
    bool spherical; /* all moments are equal: nothing gyroscopic */
    bool has_joints;
    bool feels;     /* whether the forces of its contacts are kept */
    double mass, inertia[9];
    double age;       /* for how long the acceleration that the velocities before tell of has been over, in steps */
    double before[6]; /* linear and angular velocity before the last step */
    int32_t owner;
    int row;
    int pressing;     /* contacts whose forces nobody solves for */
    double reach;     /* of its geoms, from its centre */
    double inverse_inertia[9];
};

void turn_body(body *b, const double *rate, double step);
void export_bodies(kernel *k);
void export_step(kernel *k);
void export_body(kernel *k, const body *b);
void place_body(body *b, const double *position, const double *quaternion, const double *rotation, const double *linear,
                const double *angular);

#endif
