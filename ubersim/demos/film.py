"""A film of a robot, taken by a camera that follows it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ubersim.demos.outside_view import OutsideView, WorldInstant
from ubersim.demos.pictures import Picture, halved, save_gif, with_inset
from ubersim.filming.mp4 import Mp4Writer
from ubersim.render import Camera

if TYPE_CHECKING:
    from ubersim.demos.demonstration import Demonstration
    from ubersim.geometry import Array

RATE = 20.0
"""Pictures per second of the MP4 file; the GIF has every second one, half as wide and high."""
CAMERA = Camera(width=800, height=600, fov=math.radians(38), near=0.05, far=200, samples=4, shadows=True)
SMOOTHING = 0.94
"""How much of the last picture's target the next one keeps, so that the camera follows calmly."""


class Film:
    """Takes a picture whenever it is time for one."""

    def __init__(self, outside: OutsideView, demonstration: Demonstration, file: Path) -> None:
        """`file`: where the film goes, without its suffix."""
        self._outside, self._file = outside, file
        self._writer = Mp4Writer(file.with_suffix(".mp4"), rate=RATE)
        self._start, self._end = demonstration.film
        self._offset = np.array(demonstration.film_target)
        self._target: Array | None = None
        self._small: list[Picture] = []

    def due(self, time: float) -> bool:
        """Whether a picture is to be taken at a time [s]."""
        return self._start <= time <= self._end and self._writer.count <= (time - self._start) * RATE

    def take(self, now: WorldInstant, inset: Picture | None = None) -> None:
        """Adds a picture, perhaps with what the robot itself sees."""
        target = now.ground + self._offset
        self._target = target if self._target is None else SMOOTHING * self._target + (1 - SMOOTHING) * target
        picture = self._outside.draw(CAMERA, now, self._target)
        shown = picture if inset is None else with_inset(picture, inset)
        if self._writer.count % 2 == 0:
            self._small.append(halved(shown))
        self._writer.add(shown)

    def save(self) -> tuple[Path, Path]:
        """As an MP4 file, and as an endless GIF."""
        self._writer.close()
        save_gif(self._small, self._file.with_suffix(".gif"), rate=RATE / 2)
        return self._file.with_suffix(".mp4"), self._file.with_suffix(".gif")
