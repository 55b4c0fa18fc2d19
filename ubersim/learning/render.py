"""An environment from outside: a picture of its robot, in the light of its world."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Array, Pose
from ubersim.render import Camera
from ubersim.simulation import Simulation

CAMERA = Camera(width=480, height=360, fov=math.radians(45.0))
_EYE = np.array([1.6, 2.4, 1.1])
"""From the robot's first body to the camera [m]."""


def outside_picture(simulation: Simulation, robot: str) -> NDArray[np.uint8]:
    """The robot from ahead and above: (height, width, 3), red first."""
    pose = Pose(simulation.body(robot).position + _EYE, _looking_along(-_EYE))
    taken = simulation.cameras.take(CAMERA, pose, "image", simulation.frame).collect()
    return np.frombuffer(taken, np.uint8).reshape(CAMERA.height, CAMERA.width, 4)[:, :, 2::-1].copy()


def _looking_along(way: Array) -> Array:
    """The rotation of a camera that looks that way, upright."""
    forward = way / np.linalg.norm(way)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.stack([right, forward, np.cross(right, forward)], axis=1)
