"""What a robot's picture does not show by itself: axes of joints, centres of mass, what sensors see, names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.demos.pictures import Picture, draw_over
from ubersim.geometry import Array
from ubersim.render.camera import Camera
from ubersim.simulation.robot import Robot

AXIS, MASS, SIGHT = (230, 120, 20), (200, 30, 60), (30, 90, 200)
"""Colours of axes, centres of mass and what sensors see."""
REACH = 0.35
"""Of a sensor's cone that is drawn, in terms of the robot's size; it may be shorter."""


FLAT, ROUND = math.radians(150), 6.2
"""Wider pictures are no pyramid; what sees all around has no edges [rad]."""


@dataclass(frozen=True)
class Mark:
    """A line through points in the world [m], and a name at its first one."""

    points: Array
    label: str
    color: tuple[int, int, int]


def marks(robot: Robot) -> Iterator[Mark]:
    """Of a robot as it stands."""
    frame = robot.spawned_at
    centers = np.array([body.position for body in robot.bodies.values()])
    size = max(0.1, float(np.ptp(centers, axis=0).max()), 2 * float(np.ptp(_corners(robot), axis=0).max()) / 3)
    joints = {joint.name for joint in robot.description.joints}
    for joint in robot.description.joints:
        anchor = joint.anchor
        if anchor is None or _brought_along(joint.name, joints):
            continue
        for axis in joint.axes:
            along = frame.turn(np.asarray(axis) / np.linalg.norm(axis)) * 0.12 * size
            middle = frame.apply(np.asarray(anchor))
            yield Mark(np.stack([middle + along, middle - along]), joint.name, AXIS)
    for name, body in robot.bodies.items():
        if not _brought_along(name, joints):
            yield Mark(body.position[None].copy(), name, MASS)
    for part in robot.description.bodies:
        for sensor in part.sensors:
            if hasattr(sensor, "joint"):  # it is where its joint is, which has a mark
                continue
            pose = frame @ sensor.pose
            reach = min(getattr(sensor, "range", math.inf), REACH * size)
            points = np.array(list(_sight(sensor))) * reach
            yield Mark(pose.position + points @ pose.rotation.T, sensor.name, SIGHT)


def _brought_along(name: str, joints: Collection[str]) -> bool:
    """Whether it is a part of what has a mark, as `WHEEL.Roller1` of a wheel; dozens would hide all else."""
    owner, dot, _ = name.partition(".")
    return bool(dot) and owner in joints


def _sight(sensor: Any) -> Iterator[Sequence[float]]:
    """A line around what it sees, from where it is; ahead is y, and what is farthest is 1 away."""
    here = (0.0, 0.0, 0.0)
    yield here
    fov = getattr(sensor, "fov", 0.0)
    if fov <= 0:
        yield (0.0, 1.0, 0.0)
    elif hasattr(sensor, "height") and fov < FLAT:  # a camera: the pyramid of its picture
        x = math.tan(fov / 2)
        z = x * sensor.height / sensor.width
        far = math.hypot(x, 1.0, z)
        corners = [(i * x / far, 1 / far, j * z / far) for i, j in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
        for corner, following in zip(corners, [*corners[1:], corners[0]], strict=True):
            yield from (corner, following, here)
    elif fov < ROUND:
        yield (-math.sin(-fov / 2), math.cos(fov / 2), 0.0)
        yield here
        yield (-math.sin(fov / 2), math.cos(fov / 2), 0.0)
        yield here


def _corners(robot: Robot) -> Array:
    boxes = [solid.bounds() for body in robot.description.bodies for solid in body.solids]
    return np.array([corner for box in boxes for corner in box])


def annotated(picture: Picture, robot: Robot, camera: Camera, position: Array, rotation: Array) -> Picture:
    """The picture with the marks over it, as that camera sees them."""
    height, width = picture.shape[:2]
    focal = width / 2 / math.tan(camera.fov / 2)
    lines = []
    for mark in marks(robot):
        seen = (mark.points - position) @ rotation
        if (seen[:, 1] > 1e-6).all():
            places = np.stack([seen[:, 0] / seen[:, 1], -seen[:, 2] / seen[:, 1]], axis=1) * focal
            lines.append((places + np.array([width, height]) / 2, mark.label, mark.color))
    return draw_over(picture, lines)
