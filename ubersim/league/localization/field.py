"""What localization has to know of a world: what never moves there, how far it goes, where a robot can be."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ubersim.components.solids.mesh import Mesh
from ubersim.description import RobotDescription, WorldDescription
from ubersim.description.markings import Strip
from ubersim.errors import UberSimError
from ubersim.league.localization.grid import PoseGrid
from ubersim.simulation.object_ids import ObjectIds

MARGIN = 0.5
"""How far beyond its lines a field is learned [m]."""
_DIRECTIONS = 16


def landmarks_of(world: WorldDescription) -> dict[int, str]:
    """The solids that never move, by their numbers in the legend."""
    return {number: solid.name for number, solid in enumerate(world.static, ObjectIds(world).first_static)}


def field_of(world: WorldDescription) -> tuple[float, float, float, float]:
    """What is to be learned of a world: its markings and a margin, or without any, all that stands in it."""
    strips = [strip for marking in world.markings for strip in marking.strips()]
    if strips:
        corners = np.array([corner for strip in strips for corner in _ends(strip)])
        low, high = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    elif world.static:
        bounds = np.array([solid.bounds() for solid in world.static])
        low, high = bounds[:, 0, :2].min(axis=0), bounds[:, 1, :2].max(axis=0)
    else:
        raise UberSimError("the world has neither markings nor solids; say with --area what is to be learned")
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _ends(strip: Strip) -> tuple[tuple[float, float], tuple[float, float]]:
    """The middles of its two short sides."""
    x, y, _ = strip.center
    right, ahead = math.cos(strip.heading) * strip.length / 2, math.sin(strip.heading) * strip.length / 2
    return (x - right, y - ahead), (x + right, y + ahead)


def free_nodes(world: WorldDescription, robot: RobotDescription, grid: PoseGrid) -> NDArray[np.bool_]:
    """The nodes that are not inside a solid of the world as high as the robot."""
    turns = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    directions = np.stack([np.cos(turns), np.sin(turns), np.zeros(_DIRECTIONS)], axis=1)
    poses = grid.poses()[:: grid.headings]
    along = poses[:, :1] * directions[:, 0] + poses[:, 1:2] * directions[:, 1]
    tops = [solid.bounds()[1][2] for body in robot.bodies for solid in body.solids]
    top = max(tops, default=0.0) - robot.lowest(np.eye(3))
    free = np.ones(len(poses), dtype=np.bool_)
    for solid in world.static:
        low, high = solid.bounds()
        if not isinstance(solid, Mesh) and low[2] < top and high[2] > 0.0:
            reach = np.array([solid.extent(direction) for direction in directions])
            free &= ~(along < reach).all(axis=1)
    return np.repeat(free, grid.headings)
