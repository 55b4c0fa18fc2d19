"""Where things are when an episode begins: small rigid motions of whole robots, before anything is sensed."""

from __future__ import annotations

import math

import numpy as np

from ubersim.geometry import Array, product, quaternion_from_matrix, rotation_about
from ubersim.physics import Body
from ubersim.simulation.robot import Robot


def tilt_about(robot: Robot, angle: float, height: float) -> None:
    """Tilts a robot nose up by an angle [rad] about a line to its right, so high above the ground below its origin."""
    pivot = robot.spawned_at.position * np.array([1.0, 1.0, 0.0]) + np.array([0.0, 0.0, height])
    _move(list(robot.bodies.values()), rotation_about(0, angle), pivot, np.zeros(3))


def move(robot: Robot, way: tuple[float, float], heading: float = 0.0) -> None:
    """Moves a robot over the ground [m] and turns it to the left about its origin [rad]."""
    _move(list(robot.bodies.values()), rotation_about(2, heading), robot.spawned_at.position, np.array([*way, 0.0]))


def heading_of(body: Body) -> float:
    """Where a body looks, to the left of the world's +y [rad]."""
    return math.atan2(-body.rotation[0, 1], body.rotation[1, 1])


def _move(bodies: list[Body], turn: Array, pivot: Array, way: Array) -> None:
    at_rest = np.zeros(3)
    for body in bodies:
        position = pivot + product(turn, body.position - pivot) + way
        body.set_state(position, quaternion_from_matrix(product(turn, body.rotation)), at_rest, at_rest)
