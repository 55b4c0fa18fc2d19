"""Where a robot without a `Spawn` enters: at a free spawn point, or at a free place around the origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ubersim.description import BodyDescription, RobotDescription, SpawnPoint
from ubersim.description.base import FARTHEST
from ubersim.errors import UberSimError
from ubersim.geometry import Array, Pose

Circle = tuple[Array, float]
"""Centre and radius of the ground that something covers [m]."""

_MARGIN = 0.05
_ORIGIN = np.zeros(3)
_MOST_RINGS = 256
"""Squares about the origin that are searched; what finds no place there is put beside everything."""


def place(
    robot: RobotDescription, spawn_points: Iterable[SpawnPoint], occupied: Callable[[], Sequence[Circle]]
) -> Pose:
    """The pose of the robot's model space: as its document says, or standing at the first free place."""
    if robot.settings.spawn is not None:
        return robot.settings.spawn.pose
    reach, taken = radius(robot.bodies), occupied()
    centers = np.array([center[:2] for center, _ in taken]).reshape(-1, 2)
    distances = reach + np.array([other for _, other in taken]) + _MARGIN
    for point in (point.pose for point in spawn_points):
        if (np.hypot(*(point.position[:2] - centers).T) > distances).all():
            return _standing(robot, point)
    x, y = free_place(reach, centers, distances)
    return _standing(robot, Pose(np.array([x, y, 0.0])))


def _standing(robot: RobotDescription, point: Pose) -> Pose:
    """With its lowest point on the surface there."""
    return Pose(point.position - [0.0, 0.0, robot.lowest(point.rotation)], point.rotation)


def radius(bodies: Iterable[BodyDescription], about: Array = _ORIGIN) -> float:
    """Of the circle about a point of model space that holds bodies in their initial poses, seen from above [m]."""
    bodies = list(bodies)
    corners = [np.abs(corner - about)[:2] for body in bodies for solid in body.solids for corner in solid.bounds()]
    corners += [np.abs(body.mass_properties().center - about)[:2] for body in bodies if not body.solids]
    return float(np.hypot(*np.max(corners, axis=0)))


def free_place(reach: float, centers: Array, distances: Array) -> tuple[float, float]:
    """The first free node of a square grid, in ever larger squares about the origin; else a place beside everything.

    A node is free if it is farther from every centre than that one's distance. The grid is as wide as what is to be
    placed, so each circle blocks only the few nodes near it: the work grows with the number of circles, not with the
    number of nodes tried times that.
    """
    spacing = 2 * reach + 2 * _MARGIN
    rings = 4
    while rings <= _MOST_RINGS:
        free = ~_blocked(rings, spacing, centers, distances).ravel()[_spiral(rings)]
        if free.any():
            x, y = divmod(int(_spiral(rings)[free.argmax()]), 2 * rings + 1)
            return (x - rings) * spacing, (y - rings) * spacing
        rings *= 4
    right = float((centers[:, 0] + distances).max()) + _MARGIN
    if right + reach > FARTHEST:
        raise UberSimError(f"there is no free place within {FARTHEST:g} m: give the robot a Spawn of its own")
    return right, 0.0


def _blocked(rings: int, spacing: float, centers: Array, distances: Array) -> NDArray[np.bool_]:
    """Which nodes lie within the distance of any centre; node (i, j) is at ((i - rings), (j - rings)) * spacing."""
    side = 2 * rings + 1
    blocked = np.zeros((side, side), dtype=bool)
    reaches = np.ceil(distances / spacing).astype(np.int64) + 1  # in nodes
    axis = spacing * np.arange(-rings, rings + 1)
    for center, distance in zip(centers[reaches >= rings], distances[reaches >= rings], strict=True):  # few are so wide
        blocked |= np.hypot(axis[:, None] - center[0], axis[None, :] - center[1]) <= distance
    for reach in np.unique(reaches[reaches < rings]):  # circles of about the same size together
        chosen, window = reaches == reach, np.arange(-reach, reach + 1)
        middle = np.rint(centers[chosen] / spacing).astype(np.int64) + rings
        columns, rows = np.broadcast_arrays(
            middle[:, 0, None, None] + window[:, None], middle[:, 1, None, None] + window[None, :]
        )
        x, y = (columns - rings) * spacing, (rows - rings) * spacing
        away = np.hypot(x - centers[chosen, 0, None, None], y - centers[chosen, 1, None, None])
        hit = (away <= distances[chosen, None, None]) & (columns >= 0) & (columns < side) & (rows >= 0) & (rows < side)
        blocked[columns[hit], rows[hit]] = True
    return blocked


@cache
def _spiral(rings: int) -> NDArray[np.int64]:
    """The nodes of a grid, by the square about the middle that they lie on, then by x, then by y."""
    x, y = np.divmod(np.arange((2 * rings + 1) ** 2), 2 * rings + 1)
    return np.lexsort((y, x, np.maximum(abs(x - rings), abs(y - rings))))
