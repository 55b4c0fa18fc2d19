"""Moves joints of a model, and all that hangs on them, before it becomes a document."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ubersim.geometry import Array, Pose, Triple, product
from ubersim.importers.model import RobotJoint, RobotModel
from ubersim.importers.report import ImportReport


def pose_within_stops(model: RobotModel, report: ImportReport) -> None:
    """Joints whose zero is beyond their stops begin at the nearest stop; what mimics others follows."""
    for joint in model.joints:
        if joint.low is None or joint.high is None or joint.mimics is not None:
            continue
        nearest = min(max(joint.position, joint.low), joint.high)
        if nearest != joint.position:
            move_joint(model, joint, nearest)
            report.changed(joint.line, f"joint {joint.name}", f"begins at {nearest:.6g}: its zero is beyond its stops")
    named = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        if joint.mimics is not None and (leader := named.get(joint.mimics[0])) is not None:
            wanted = joint.mimics[1] * leader.position + joint.mimics[2]
            if wanted != joint.position:
                move_joint(model, joint, wanted)


def move_joint(model: RobotModel, joint: RobotJoint, position: float) -> None:
    """Brings a hinge or slider to a position, and with it everything beyond it."""
    motion = _motion(joint, position - joint.position)
    joint.position = position
    moved = set(_beyond(model, joint))
    for link in model.links:
        if link.name in moved:
            link.pose = motion @ link.pose
            link.mass = None if link.mass is None else link.mass.seen_from(motion)
            for shape in (*link.collisions, *link.visuals):
                shape.pose = motion @ shape.pose
    for other in model.joints:
        if other.parent in moved:
            other.anchor, other.axis = _triple(motion.apply(other.anchor)), _triple(motion.turn(other.axis))
    for sensor in model.sensors:
        if sensor.link in moved:
            sensor.pose = motion @ sensor.pose


def rotation_around(axis: Triple, angle: float) -> Array:
    """The matrix that turns about a direction (Rodrigues)."""
    x, y, z = np.divide(axis, np.linalg.norm(axis))
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn: Array = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * product(cross, cross)
    return turn


def _motion(joint: RobotJoint, by: float) -> Pose:
    if joint.kind == "slider":
        return Pose(np.divide(joint.axis, np.linalg.norm(joint.axis)) * by)
    turn = rotation_around(joint.axis, by)
    return Pose(np.array(joint.anchor) - product(turn, np.array(joint.anchor)), turn)


def _beyond(model: RobotModel, joint: RobotJoint) -> Iterator[str]:
    """The links that a joint moves."""
    waiting = [joint.child]
    while waiting:
        name = waiting.pop()
        yield name
        waiting += [other.child for other in model.joints if other.parent == name]


def _triple(values: Array) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z
