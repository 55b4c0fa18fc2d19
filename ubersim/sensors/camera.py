"""A camera: its description. The device belongs to the renderer, which the mount brings along."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from ubersim.description.component import Flaw, component
from ubersim.description.fields import angle, integer, number
from ubersim.errors import RenderError
from ubersim.sensors.base import Mount, SensorDescription

MOST_PIXELS = 4096
"""Along either side of a picture."""


@component
class CameraSensor(SensorDescription):
    """A pinhole camera; `Noise` is in grey levels, from 0 to 255."""

    dtype = "<u1"
    properties: ClassVar[Mapping[str, int]] = {**SensorDescription.properties, "Fov": 16, "Brightness": 17}
    limits: ClassVar[Mapping[int, tuple[float, float]]] = {
        **SensorDescription.limits,
        16: (math.radians(1), math.radians(170)),
        17: (0.0, 100.0),
    }
    reading = "Width x Height x 4 bytes BGRA, top row first"

    fov: float = angle("horizontal field of view", low=1, high=170)
    width: int = integer("columns of the picture", unit="pixels", low=1, high=MOST_PIXELS, default=320)
    height: int = integer("rows of the picture", unit="pixels", low=1, high=MOST_PIXELS, default=240)
    near: float = number("nothing nearer is seen", unit="m", low=1e-4, high=1e4, default=0.02)
    far: float = number("nothing farther is seen", unit="m", low=1e-3, high=1e5, default=200.0)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.height, self.width, 4

    def build(self, mount: Mount, rng: np.random.Generator) -> Any:
        if mount.renderer is None:
            raise RenderError(f"{self.tag} {self.name!r} needs a renderer, and this simulation has none")
        return mount.renderer.camera(self, mount, rng)

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.far <= self.near:
            yield Flaw(f"Far {self.far:g} m is not beyond Near {self.near:g} m", "far")
