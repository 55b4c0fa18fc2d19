/* Joints, by a table of their kinds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

typedef dReal reading(dJointID);
typedef void anchor_setter(dJointID, dReal, dReal, dReal);

typedef struct {
    dJointID (*create)(dWorldID, dJointGroupID);
    anchor_setter *anchor;
    anchor_setter *axes[3];
    void (*set)(dJointID, int, dReal);
    dReal (*get)(dJointID, int);
    reading *position[3], *rate[3];
} joint_kind;

/* ODE's setter before 0.13 took one axis at a time and cannot know the other. */
static void set_hinge2_axes(dJointID j, const double *axes)
{
    const dVector3 first = {axes[0], axes[1], axes[2]}, second = {axes[3], axes[4], axes[5]};
    dJointSetHinge2Axes(j, first, second);
}

/* ODE's own does not agree with its position: how fast the bodies part at the anchor, along the axis. */
static dReal pu_extension_rate(dJointID j)
{
    dVector3 axis, anchor, first, second = {0};
    dJointGetPUAxis3(j, axis);
    dJointGetPUAnchor(j, anchor);
    dBodyGetPointVel(dJointGetBody(j, 0), anchor[0], anchor[1], anchor[2], first);
    if (dJointGetBody(j, 1)) dBodyGetPointVel(dJointGetBody(j, 1), anchor[0], anchor[1], anchor[2], second);
    return dCalcVectorDot3(axis, first) - dCalcVectorDot3(axis, second);
}

/* The order is that of KINDS in joint_kinds.py. */
static const joint_kind KINDS[] = {
    [BALL] = {dJointCreateBall, dJointSetBallAnchor, {0}, dJointSetBallParam, dJointGetBallParam, {0}, {0}},
    [HINGE] = {dJointCreateHinge, dJointSetHingeAnchor, {dJointSetHingeAxis}, dJointSetHingeParam, dJointGetHingeParam,
               {dJointGetHingeAngle}, {dJointGetHingeAngleRate}},
    [HINGE2] = {dJointCreateHinge2, dJointSetHinge2Anchor, {0}, dJointSetHinge2Param, dJointGetHinge2Param,
                {dJointGetHinge2Angle1, dJointGetHinge2Angle2}, {dJointGetHinge2Angle1Rate, dJointGetHinge2Angle2Rate}},
    [SLIDER] = {dJointCreateSlider, NULL, {dJointSetSliderAxis}, dJointSetSliderParam, dJointGetSliderParam,
                {dJointGetSliderPosition}, {dJointGetSliderPositionRate}},
    [UNIVERSAL] = {dJointCreateUniversal, dJointSetUniversalAnchor, {dJointSetUniversalAxis1, dJointSetUniversalAxis2},
                   dJointSetUniversalParam, dJointGetUniversalParam, {dJointGetUniversalAngle1, dJointGetUniversalAngle2},
                   {dJointGetUniversalAngle1Rate, dJointGetUniversalAngle2Rate}},
    [FIXED] = {dJointCreateFixed, NULL, {0}, dJointSetFixedParam, dJointGetFixedParam, {0}, {0}},
    [AMOTOR] = {dJointCreateAMotor, NULL, {0}, dJointSetAMotorParam, dJointGetAMotorParam, {0}, {0}},
    [LMOTOR] = {dJointCreateLMotor, NULL, {0}, dJointSetLMotorParam, dJointGetLMotorParam, {0}, {0}},
    [PISTON] = {dJointCreatePiston, dJointSetPistonAnchor, {dJointSetPistonAxis}, dJointSetPistonParam, dJointGetPistonParam,
                {dJointGetPistonPosition, dJointGetPistonAngle}, {dJointGetPistonPositionRate, dJointGetPistonAngleRate}},
    [PR] = {dJointCreatePR, dJointSetPRAnchor, {dJointSetPRAxis1, dJointSetPRAxis2}, dJointSetPRParam, dJointGetPRParam,
            {dJointGetPRPosition, dJointGetPRAngle}, {dJointGetPRPositionRate, dJointGetPRAngleRate}},
    [PU] = {dJointCreatePU, dJointSetPUAnchor, {dJointSetPUAxis1, dJointSetPUAxis2, dJointSetPUAxis3}, dJointSetPUParam,
            dJointGetPUParam, {dJointGetPUAngle1, dJointGetPUAngle2, dJointGetPUPosition},
            {dJointGetPUAngle1Rate, dJointGetPUAngle2Rate, pu_extension_rate}},
};

/* Axes that can be driven or stopped; motors have as many as they are given. */
static const int DRIVEN[] = {
    [BALL] = 0, [HINGE] = 1, [HINGE2] = 2, [SLIDER] = 1, [UNIVERSAL] = 2, [FIXED] = 0, [PISTON] = 2, [PR] = 2, [PU] = 3,
};

/* ODE's signs and axes go astray where the first body is the static world, and hinge2 needs both: an immovable body, one per
   joint because a shared one would make one island of all, sets that right. */
static dBodyID ground_for(kernel *k, int kind, const body *first, const body *second)
{
    if (first && (second || kind != HINGE2)) return NULL;
    dBodyID ground = dBodyCreate(k->world);
    dBodySetKinematic(ground);
    return ground;
}

/* Motors hold their axes in the frame of their first body. */
static void set_motor_axes(dJointID ode, int kind, int count, const double *axes)
{
    if (kind == AMOTOR) {
        dJointSetAMotorMode(ode, dAMotorUser);
        dJointSetAMotorNumAxes(ode, count);
    } else
        dJointSetLMotorNumAxes(ode, count);
    for (int i = 0; i < count; i++)
        (kind == AMOTOR ? dJointSetAMotorAxis : dJointSetLMotorAxis)(ode, i, 1, axes[3 * i], axes[3 * i + 1], axes[3 * i + 2]);
}

static void set_up(dJointID ode, int kind, const double *anchor, int axis_count, const double *axes)
{
    const joint_kind *table = &KINDS[kind];
    if (table->anchor) table->anchor(ode, anchor[0], anchor[1], anchor[2]);
    if (kind == HINGE2) set_hinge2_axes(ode, axes);
    if (kind == FIXED) dJointSetFixed(ode);
    if (kind == AMOTOR || kind == LMOTOR) set_motor_axes(ode, kind, axis_count, axes);
    for (int i = 0; i < axis_count && i < 3; i++)
        if (table->axes[i]) table->axes[i](ode, axes[3 * i], axes[3 * i + 1], axes[3 * i + 2]);
}

joint *kernel_add_joint(kernel *k, int kind, int32_t owner, body *first, body *second, const double *anchor, int axis_count,
                        const double *axes)
{
    if (k->broken) return NULL;
    dJointID volatile ode = NULL;
    dBodyID volatile ground = NULL;
    if (ODE_FAILED()) {
        guard_report(k);
        if (ode) dJointDestroy(ode);
        if (ground) dBodyDestroy(ground);
        return NULL;
    }
    ode = KINDS[kind].create(k->world, 0);
    ground = ground_for(k, kind, first, second);
    dJointAttach(ode, first ? first->ode : ground, second ? second->ode : first ? ground : NULL);
    set_up(ode, kind, anchor, axis_count, axes);
    if (first) first->has_joints = true;
    if (second) second->has_joints = true;
    joint *j = cleared(sizeof *j);
    *j = (joint){.ode = ode, .kind = kind, .owner = owner, .first = first, .second = second, .ground = ground};
    j->axis_count = kind == AMOTOR || kind == LMOTOR ? axis_count : DRIVEN[kind];
    for (int axis = 0; axis < j->axis_count; axis++)
        for (int number = 0; number <= dParamSuspensionCFM; number++)
            j->parameters[axis][number] = KINDS[kind].get(ode, axis * dParamGroup + number);
    remember_frame(j, anchor);
    list_append(&k->joints, j);
    guard_clear();
    k->trees_stale = true;
    return j;
}

void destroy_joint(joint *j)
{
    dJointDestroy(j->ode);
    if (j->ground) dBodyDestroy(j->ground);
    free(j->feedback);
    free(j);
}

int joint_set(kernel *k, joint *j, int parameter, double value)
{
    if (ODE_FAILED()) {
        guard_report(k);
        return KERNEL_REFUSED;
    }
    KINDS[j->kind].set(j->ode, parameter, value);
    guard_clear();
    const int axis = parameter / dParamGroup, number = parameter % dParamGroup;
    if (axis < j->axis_count && number <= dParamSuspensionCFM) j->parameters[axis][number] = joint_get(j, parameter);
    return KERNEL_FINE;
}

double joint_get(joint *j, int parameter) { return KINDS[j->kind].get(j->ode, parameter); }

void joint_resist(joint *j, double damping, double friction, double armature)
{
    j->damping = damping, j->friction = friction, j->armature = armature;
}

double joint_position(joint *j, int axis)
{
    reading *position = KINDS[j->kind].position[axis];
    if (!position) return NAN;
    return j->kind == HINGE2 && axis == 1 ? -position(j->ode) : position(j->ode); /* ODE's angle runs against its own rate */
}

static double motor_rate(const joint *j, int axis)
{
    const bool turning = j->kind == AMOTOR;
    dVector3 direction;
    (turning ? dJointGetAMotorAxis : dJointGetLMotorAxis)(j->ode, axis, direction);
    double rate = 0;
    if (j->first) rate += dCalcVectorDot3(direction, turning ? j->first->angular : j->first->linear);
    if (j->second) rate -= dCalcVectorDot3(direction, turning ? j->second->angular : j->second->linear);
    return rate;
}

double joint_rate(joint *j, int axis)
{
    if (j->kind == AMOTOR || j->kind == LMOTOR) return motor_rate(j, axis);
    reading *rate = KINDS[j->kind].rate[axis];
    return rate ? rate(j->ode) : NAN;
}

void joint_enable_feedback(joint *j)
{
    if (j->feedback) return;
    j->feedback = calloc(1, sizeof *j->feedback);
}

int joint_feedback(joint *j, double *forces_and_torques)
{
    if (!j->feedback) return KERNEL_REFUSED;
    const double *parts[4] = {j->feedback->f1, j->feedback->t1, j->feedback->f2, j->feedback->t2};
    for (int i = 0; i < 4; i++) memcpy(forces_and_torques + 3 * i, parts[i], 3 * sizeof(double));
    return KERNEL_FINE;
}
