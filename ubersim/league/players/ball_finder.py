"""An orange ball in the picture of a camera that looks up into a mirror: colour, middle, and the ray to the ground."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ubersim.render.camera import Camera
from ubersim.render.projections import pixel_rays, viewpoint

CAMERA_HEIGHT, FOV, BALL_RADIUS = 0.66, 52.0, 0.11
"""Of the middle size robot's camera [m, degrees], and of its ball [m]."""
FEWEST = 2
"""Pixels that make a ball."""


class BallFinder:
    """Knows where each pixel looks."""

    def __init__(self, width: int, height: int) -> None:
        camera = Camera(width=width, height=height, fov=math.radians(FOV), projection="mirror")
        rays = pixel_rays(camera)
        up = float(viewpoint(camera)[1]) + CAMERA_HEIGHT - BALL_RADIUS
        # The camera's forward is the robot's up, and its up the robot's back.
        right, forward, rise = rays[..., 0], -rays[..., 2], rays[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(rise < 0, -up / rise, np.nan)
        self._right, self._forward = reach * right, reach * forward

    def find(self, picture: NDArray[np.generic]) -> tuple[float, float] | None:
        """Where the ball is, to the right and forward of the robot [m]; None if nothing is orange enough."""
        blue, green, red = (picture[..., channel].astype(np.int16) for channel in range(3))
        orange = (red > 90) & (2 * green < red + 20) & (3 * blue < green + 60) & (green > blue)
        orange &= np.isfinite(self._right)
        if int(orange.sum()) < FEWEST:
            return None
        return float(np.median(self._right[orange])), float(np.median(self._forward[orange]))
