/* What joints exert, and along which axes. */
#include <math.h>

#include "kernel.h"

typedef void getter(dJointID, dVector3);

typedef struct {
    getter *anchor;
    getter *axes[3];
    bool slides[3]; /* whether the axis is one of displacement, not of rotation */
} joint_geometry;

static const joint_geometry GEOMETRY[] = {
    [BALL] = {dJointGetBallAnchor, {0}, {0}},
    [HINGE] = {dJointGetHingeAnchor, {dJointGetHingeAxis}, {0}},
    [HINGE2] = {dJointGetHinge2Anchor, {dJointGetHinge2Axis1, dJointGetHinge2Axis2}, {0}},
    [SLIDER] = {NULL, {dJointGetSliderAxis}, {true}},
    [UNIVERSAL] = {dJointGetUniversalAnchor, {dJointGetUniversalAxis1, dJointGetUniversalAxis2}, {0}},
    [FIXED] = {NULL, {0}, {0}},
    [AMOTOR] = {NULL, {0}, {0}},
    [LMOTOR] = {NULL, {0}, {true, true, true}},
    [PISTON] = {dJointGetPistonAnchor, {dJointGetPistonAxis, dJointGetPistonAxis}, {true, false}},
    [PR] = {dJointGetPRAnchor, {dJointGetPRAxis1, dJointGetPRAxis2}, {true, false}},
    [PU] = {dJointGetPUAnchor, {dJointGetPUAxis1, dJointGetPUAxis2, dJointGetPUAxis3}, {false, false, true}},
};

int joint_axis(joint *j, int axis, double *direction)
{
    dVector3 found;
    getter *get = GEOMETRY[j->kind].axes[axis];
    if (j->kind == AMOTOR)
        dJointGetAMotorAxis(j->ode, axis, found);
    else if (j->kind == LMOTOR)
        dJointGetLMotorAxis(j->ode, axis, found);
    else if (get)
        get(j->ode, found);
    else
        return KERNEL_REFUSED;
    for (int i = 0; i < 3; i++) direction[i] = found[i];
    return KERNEL_FINE;
}

/* ODE tells torques about the centre of mass; the part of a force that acts at the anchor is no effort of a motor there. */
double joint_effort(joint *j, int axis)
{
    const joint_geometry *geometry = &GEOMETRY[j->kind];
    double direction[3];
    if (!j->feedback || joint_axis(j, axis, direction) != KERNEL_FINE) return NAN;
    const double *force = j->feedback->f1, *torque = j->feedback->t1;
    if (geometry->slides[axis]) return dCalcVectorDot3(force, direction);
    double effort = dCalcVectorDot3(torque, direction);
    if (geometry->anchor) {
        dVector3 arm, moment;
        geometry->anchor(j->ode, arm);
        const double *center = dBodyGetPosition(dJointGetBody(j->ode, 0));
        for (int i = 0; i < 3; i++) arm[i] -= center[i];
        dCalcVectorCross3(moment, arm, force);
        effort -= dCalcVectorDot3(moment, direction);
    }
    return effort;
}
