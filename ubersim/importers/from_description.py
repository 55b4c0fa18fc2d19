"""A robot of ours as the model between formats, for those who write others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ubersim.components.motors.mimic import MimicMotor
from ubersim.components.motors.servo import PositionServo
from ubersim.components.motors.torque import TorqueMotor
from ubersim.components.motors.velocity import VelocityMotor
from ubersim.components.solids.mesh import Mesh
from ubersim.description import BodyDescription, RobotDescription
from ubersim.description.base import STATIC, JointDescription, Solid
from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Pose
from ubersim.importers.model import (
    JointKind,
    LinkShape,
    MotorKind,
    RobotJoint,
    RobotLink,
    RobotModel,
    RobotMotor,
    RobotSensor,
    ShapeKind,
)
from ubersim.importers.posing import move_joint
from ubersim.importers.report import ImportReport

JOINTS: dict[str, JointKind] = {"hinge": "hinge", "slider": "slider", "ball": "ball", "fixed": "fixed"}
MOTORS: dict[type[Any], MotorKind] = {PositionServo: "position", VelocityMotor: "velocity", TorqueMotor: "torque"}
UNLIMITED = 1e9


def model_of(robot: RobotDescription, report: ImportReport) -> RobotModel:
    """The robot with all joints at zero, as a tree of links that begins at its first body."""
    model = RobotModel(robot.name, self_collision=robot.settings.self_collision)
    model.links = [_link(body, report) for body in robot.bodies]
    _add_joints(robot, model, report)
    for joint in model.joints:
        if joint.position:
            move_joint(model, joint, 0.0)
    for motor in robot.motors:
        _add_motor(motor, model, report)
    for body in robot.bodies:
        for sensor in body.sensors:
            model.sensors.append(RobotSensor(sensor.name, sensor.tag, body.name, sensor.pose))
    if robot.settings.latency.longest:
        report.dropped(0, "latency", "no other format has one")
    if robot.entity.motion:
        report.dropped(0, f"motion {robot.entity.motion[0].name}", "other formats know joints and forces alone")
    return model


def _link(body: BodyDescription, report: ImportReport) -> RobotLink:
    link = RobotLink(body.name, Pose(), body.mass_properties())
    for solid in body.solids:
        if (shape := _shape(solid, report)) is not None:
            link.collisions.append(shape)
    for solid in body.shown:
        if (shape := _shape(solid, report)) is not None:
            link.visuals.append(shape)
    report.taken(0, f"body {body.name}", f"{link.mass.mass:.6g} kg" if link.mass else "")
    return link


def _shape(solid: Solid, report: ImportReport) -> LinkShape | None:
    outline = solid.outline()
    kind: ShapeKind = outline.kind
    shape = LinkShape(kind, solid.pose, outline.size, solid.color)
    if outline.mesh is not None:
        corners, triangles = outline.mesh
        shape.meshes = [PaintedMesh(np.asarray(corners), np.asarray(triangles, dtype=np.int64))]
        if isinstance(solid, Mesh) and solid.skin is not None:
            report.changed(0, f"mesh {solid.name}", "it has one colour")
    return shape


def _add_joints(robot: RobotDescription, model: RobotModel, report: ImportReport) -> None:
    """Joints as a tree from the first body, or from the world; those that close loops are kept apart."""
    waiting: list[JointDescription] = []
    for joint in robot.joints:
        if joint.kind in JOINTS:
            waiting.append(joint)
        else:
            report.dropped(0, f"joint {joint.name}", f"a {joint.tag} is no single hinge, slider or ball")
    bodies = [body.name for body in robot.bodies]
    reached: set[str] = {STATIC} if any(STATIC in (joint.body1, joint.body2) for joint in waiting) else {bodies[0]}
    while True:
        ready = next((joint for joint in waiting if (joint.body1 in reached) or (joint.body2 in reached)), None)
        if ready is None:
            left = [name for name in bodies if name not in reached]
            if not left:
                break
            reached.add(left[0])  # a body of its own
            continue
        waiting.remove(ready)
        closes = ready.body1 in reached and ready.body2 in reached
        made = _joint(ready, ready.body2 not in reached)
        if not closes:
            reached |= {ready.body1, ready.body2}
            model.joints.append(made)
            report.taken(0, f"joint {ready.name}", made.kind)
        elif made.kind in ("ball", "fixed"):
            model.loops.append(made)
        else:
            report.dropped(0, f"joint {ready.name}", "it closes a loop")


def _joint(joint: JointDescription, backwards: bool) -> RobotJoint:
    """`backwards`: its second body hangs on its first; then the axis points the other way."""
    child, parent = (joint.body2, joint.body1) if backwards else (joint.body1, joint.body2)
    made = RobotJoint(joint.name, JOINTS[joint.kind], None if parent == STATIC else parent, child)
    made.anchor = joint.anchor or getattr(joint, "anchor_pos", None) or (0.0, 0.0, 0.0)
    if made.kind in ("hinge", "slider"):
        x, y, z = joint.axes[0]
        made.axis = (-x, -y, -z) if backwards else (x, y, z)
        low, high = getattr(joint, "lo_stop", None), getattr(joint, "hi_stop", None)
        if low is not None and high is not None:
            made.low, made.high = low, high
        made.position = getattr(joint, "initial_position", 0.0)
        made.damping, made.friction, made.armature = (
            getattr(joint, name) for name in ("damping", "friction", "armature")
        )
    return made


def _add_motor(motor: Any, model: RobotModel, report: ImportReport) -> None:
    kind = MOTORS.get(type(motor))
    joint = next((joint for joint in model.joints if joint.name == getattr(motor, "joint", None)), None)
    if isinstance(motor, MimicMotor) and joint is not None and _led(motor, joint, model):
        report.taken(0, f"motor {motor.name}", f"joint {joint.name} follows {motor.leader}")
        return
    if kind is None or joint is None or joint.kind not in ("hinge", "slider"):
        report.dropped(0, f"motor {motor.name}", f"{motor.tag} has no counterpart")
        return
    made = RobotMotor(motor.name, motor.joint, kind)
    made.limit = motor.torque_limit if motor.torque_limit < UNLIMITED else None
    if kind == "position":
        made.kp, made.kd = motor.kp, motor.kd
    speed = getattr(motor, "speed_limit", None)
    made.speed = speed if speed is not None and speed < 1e6 else None
    joint.effort, joint.speed = made.limit, made.speed
    model.motors.append(made)
    report.taken(0, f"motor {motor.name}", kind)


def _led(motor: MimicMotor, joint: RobotJoint, model: RobotModel) -> bool:
    """Lets a joint follow another, if both are such as other formats know."""
    leader = next((one for one in model.joints if one.name == motor.leader), None)
    if leader is None or {joint.kind, leader.kind} - {"hinge", "slider"}:
        return False
    joint.mimics = motor.leader, motor.factor, math.radians(motor.offset) if joint.kind == "hinge" else motor.offset
    joint.effort = motor.torque_limit if motor.torque_limit < UNLIMITED else None
    return True


def children_of(model: RobotModel, parent: str | None) -> Iterator[RobotJoint]:
    """The joints by which links hang on one."""
    return (joint for joint in model.joints if joint.parent == parent)


def roots_of(model: RobotModel) -> list[RobotLink]:
    """The links that hang on nothing, not even on the world."""
    held = {joint.child for joint in model.joints}
    return [link for link in model.links if link.name not in held]
