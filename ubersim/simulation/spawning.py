"""Where a robot enters the world that does not say where."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from ubersim.description import BodyDescription, RobotDescription, SpawnPoint
from ubersim.geometry import Array, Pose

Circle = tuple[Array, float]
"""Centre and radius of the ground that something covers [m]."""

_MARGIN = 0.05
_ORIGIN = np.zeros(3)


def place(robot: RobotDescription, spawn_points: Iterable[SpawnPoint], taken: list[Circle]) -> Pose:
    """The pose of the robot's model space: as its document says, or standing at the first free spawn point."""
    if robot.settings.spawn is not None:
        return robot.settings.spawn.pose
    reach = radius(robot.bodies)
    for point in itertools.chain((point.pose for point in spawn_points), _around(2 * reach + 2 * _MARGIN)):
        if all(np.hypot(*(point.position - center)[:2]) > reach + other + _MARGIN for center, other in taken):
            lifted = point.position - [0.0, 0.0, robot.lowest(point.rotation)]
            return Pose(lifted, point.rotation)
    raise AssertionError("there is no end of places")


def radius(bodies: Iterable[BodyDescription], about: Array = _ORIGIN) -> float:
    """Of the circle about a point of model space that holds bodies in their initial poses, seen from above [m]."""
    corners = [np.abs(corner - about)[:2] for body in bodies for solid in body.solids for corner in solid.bounds()]
    return float(np.hypot(*np.max(corners, axis=0)))


def _around(spacing: float) -> Iterator[Pose]:
    """Ever larger squares about the origin, for when all spawn points are taken."""
    for ring in itertools.count():
        for x, y in itertools.product(range(-ring, ring + 1), repeat=2):
            if max(abs(x), abs(y)) == ring:
                yield Pose(np.array([x * spacing, y * spacing, 0.0]))
