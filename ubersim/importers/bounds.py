"""Numbers that no robot has: refused where a file's line is known, before anything is computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ubersim.description.base import FARTHEST
from ubersim.geometry import Array
from ubersim.importers.model import LinkShape, RobotJoint, RobotLink, RobotModel

HEAVIEST = 1e12
"""What masses [kg] and moments [kg m^2] may be, before they are made what robots here may have."""


def impossible(model: RobotModel) -> Iterator[tuple[int, str]]:
    """Line and reason of every number that is not finite, or far beyond what a document may have."""
    for link in model.links:
        yield from _of_link(link)
        for shape in (*link.collisions, *link.visuals):
            yield from _of_shape(link, shape)
    for joint in (*model.joints, *model.loops):
        yield from _of_joint(joint)
    for sensor in model.sensors:
        if _beyond(sensor.pose.position):
            yield sensor.line, _reason(f"the place of sensor {sensor.name}")


def _of_link(link: RobotLink) -> Iterator[tuple[int, str]]:
    mass = link.mass
    if _beyond(link.pose.position) or (mass is not None and _beyond(mass.center)):
        yield link.line, _reason(f"the place of link {link.name}")
    if mass is not None and (_beyond(mass.inertia, HEAVIEST) or _beyond(mass.mass, HEAVIEST)):
        yield link.line, _reason(f"the inertia of link {link.name}", HEAVIEST)


def _of_shape(link: RobotLink, shape: LinkShape) -> Iterator[tuple[int, str]]:
    corners = [mesh.vertices for mesh in shape.meshes if len(mesh.vertices)]
    if (
        _beyond(shape.pose.position)
        or _beyond(shape.pose.rotation)
        or _beyond(shape.size)
        or any(map(_beyond, corners))
    ):
        yield shape.line, _reason(f"a shape of link {link.name}")


def _of_joint(joint: RobotJoint) -> Iterator[tuple[int, str]]:
    if _beyond(joint.anchor) or _beyond(joint.axis):
        yield joint.line, _reason(f"the place or axis of joint {joint.name}")


def _beyond(values: Any, most: float = FARTHEST) -> bool:
    numbers: Array = np.abs(np.asarray(values, dtype=float))
    return bool(numbers.size and not numbers.max() <= most)  # NaN is not, either


def _reason(what: str, most: float = FARTHEST) -> str:
    return f"{what}: a number is not finite, or beyond {most:g}"
