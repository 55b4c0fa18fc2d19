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

bool slides_along(const joint *j, int axis) { return GEOMETRY[j->kind].slides[axis]; }

bool can_stop(const joint *j, int axis) { return j->kind != AMOTOR && j->kind != LMOTOR && !(j->kind == HINGE2 && axis); }

/* Before a step, for its forces belong to the places at its beginning: where the axes point, and the anchor as seen from the
   first body's centre of mass. */
void remember_joint(joint *j)
{
    for (int axis = 0; axis < 3; axis++) joint_axis(j, axis, j->axes_then[axis]);
    getter *anchor = GEOMETRY[j->kind].anchor;
    if (!anchor) return;
    anchor(j->ode, j->arm_then);
    const double *center = dBodyGetPosition(dJointGetBody(j->ode, 0));
    for (int i = 0; i < 3; i++) j->arm_then[i] -= center[i];
}

/* ODE tells torques about the centre of mass; the part of a force that acts at the anchor is no effort of a motor there. */
double joint_effort(joint *j, int axis)
{
    if (!j->feedback) return NAN;
    const double *force = j->feedback->f1, *torque = j->feedback->t1, *direction = j->axes_then[axis];
    if (GEOMETRY[j->kind].slides[axis]) return dCalcVectorDot3(force, direction);
    dVector3 moment = {0};
    if (GEOMETRY[j->kind].anchor) dCalcVectorCross3(moment, j->arm_then, force);
    return dCalcVectorDot3(torque, direction) - dCalcVectorDot3(moment, direction);
}
