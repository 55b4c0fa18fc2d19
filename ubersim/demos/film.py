"""A film of a robot, taken by a camera that follows it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ubersim.demos.outside_view import OutsideView, WorldInstant
from ubersim.demos.pictures import Picture, save_gif, with_inset
from ubersim.render import Camera

if TYPE_CHECKING:
    from ubersim.demos.demonstration import Demonstration
    from ubersim.geometry import Array

RATE = 10.0
"""Pictures per second."""
CAMERA = Camera(width=400, height=300, fov=math.radians(38), near=0.05, far=200, samples=4, shadows=True)
SMOOTHING = 0.9
"""How much of the last picture's target the next one keeps, so that the camera follows calmly."""


class Film:
    """Takes a picture whenever it is time for one."""

    def __init__(self, outside: OutsideView, demonstration: Demonstration) -> None:
        self._outside = outside
        self._start, self._end = demonstration.film
        self._offset = np.array(demonstration.film_target)
        self._target: Array | None = None
        self.pictures: list[Picture] = []

    def due(self, time: float) -> bool:
        """Whether a picture is to be taken at a time [s]."""
        return self._start <= time <= self._end and len(self.pictures) <= (time - self._start) * RATE

    def take(self, now: WorldInstant, inset: Picture | None = None) -> None:
        """Adds a picture, perhaps with what the robot itself sees."""
        target = now.ground + self._offset
        self._target = target if self._target is None else SMOOTHING * self._target + (1 - SMOOTHING) * target
        picture = self._outside.draw(CAMERA, now, self._target)
        self.pictures.append(picture if inset is None else with_inset(picture, inset))

    def save(self, file: Path) -> Path:
        """As an endless GIF."""
        save_gif(self.pictures, file, rate=RATE)
        return file
