"""Where bodies of a description are when its joints stand elsewhere: forward kinematics, apart from the physics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ubersim.description import RobotDescription
from ubersim.geometry import Pose
from ubersim.importers.posing import rotation_around


def placed(robot: RobotDescription, positions: Mapping[str, float]) -> dict[str, Pose]:
    """The motion of each body from the pose of the document to where its joints have these positions."""
    above = {joint.body1: joint for joint in robot.joints if joint.kind in ("hinge", "slider")}
    motions: dict[str, Pose] = {}

    def motion(body: str) -> Pose:
        if body not in motions:
            joint = above.get(body)
            motions[body] = Pose() if joint is None else motion(joint.body2) @ _own(joint, positions)
        return motions[body]

    return {body.name: motion(body.name) for body in robot.bodies}


def _own(joint: object, positions: Mapping[str, float]) -> Pose:
    by = positions.get(joint.name, joint.initial_position) - joint.initial_position  # type: ignore[attr-defined]
    axis = np.array(joint.axes[0]) / np.linalg.norm(joint.axes[0])  # type: ignore[attr-defined]
    if joint.kind == "slider":  # type: ignore[attr-defined]
        return Pose(axis * by)
    turn, anchor = rotation_around(tuple(axis), by), np.array(joint.anchor)  # type: ignore[attr-defined]
    return Pose(anchor - turn @ anchor, turn)
