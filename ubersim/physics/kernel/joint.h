/* Joints, as they were made and as they stand. */
#ifndef UBERSIM_JOINT_H
#define UBERSIM_JOINT_H

#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>

#include "api.h"

/* Kinds of joints. */
enum { BALL, HINGE, HINGE2, SLIDER, UNIVERSAL, FIXED, AMOTOR, LMOTOR, PISTON, PR, PU };

struct joint { /* in the order in which a step looks at it */
    int kind, axis_count;
    bool in_tree;          /* else, where it constrains, it closes a loop */
    body *first, *second;
    dJointID ode;
    dJointFeedback *feedback;
    double damping, friction, armature; /* of a single axis */
    double parameters[3][16]; /* of the axes, by ODE's numbers */
    /* Where it was made, in the frames of its first and its second body. */
    double anchors[2][3], axes[2][3][3];
    double orientation[9]; /* of the first body as seen from the second */
    double lean;           /* cosine between the first two axes */
    dVector3 axes_then[3], arm_then; /* at the beginning of the last step, if there is feedback */
    int32_t owner;
    dBodyID ground; /* stands for the static world where ODE cannot do without a body; else NULL */
};

/* A joint as it stands now, in the world. */
typedef struct {
    int turns; /* axes about which the first body may turn against the second; 3: any */
    double turn[3][3];
    bool slides; /* along this one, too */
    double slide[3];
    double arms[2][3];  /* from the centres of mass to the point about which it turns */
    double parting[3];  /* of the first anchor from where it should be */
    double sag;         /* the part of it along `slide` */
    double tilt[3];     /* the turn that would put the first body right */
} joint_frame;

void destroy_joint(joint *j);
void remember_joint(joint *j);

#endif
