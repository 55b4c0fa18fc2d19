"""Ultrasound: the nearest echo from a cone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device
from ubersim.components.sensors.ranging import RangeFinder, beams, cone
from ubersim.description.component import component
from ubersim.description.fields import angle, integer
from ubersim.protocol.quantity import Quantity


@component
class SonarSensor(RangeFinder):
    """Measures the distance of the nearest echo within a cone, by a bundle of rays; `Noise` is in metres."""

    dtype = "<f4"
    reading = "f32: distance to the nearest thing in the cone [m]; infinite if nothing echoes within `Range`"
    quantities = (Quantity("distance", "m"),)

    fov: float = angle("full opening of the cone", low=0.1, high=180, default=math.radians(25))
    rays: int = integer("rays that search the cone, spread evenly", low=1, high=1000, default=32)
    incidence: float = angle(
        "surfaces that are hit at a larger angle from their normal reflect the sound away; 90: all of them echo",
        low=0.1, high=90, default=math.pi / 2,
    )  # fmt: skip

    @property
    def ray_count(self) -> int:
        return self.rays

    def build(self, mount: Mount, rng: np.random.Generator) -> Sonar:
        return Sonar(mount, self, rng)


class Sonar(Device):
    """The device."""

    def __init__(self, mount: Mount, sensor: SonarSensor, rng: np.random.Generator) -> None:
        super().__init__(sensor.imperfection(rng), 1)
        self._beams = beams(mount, cone(sensor.fov / 2, sensor.rays), sensor)
        self._near = sensor.near
        self._least_cosine = math.cos(sensor.incidence) - 1e-9 if sensor.incidence < math.pi / 2 else -1.0

    def native(self) -> NativeSensor | None:
        """As the native lane knows it; not where surfaces reflect the sound away."""
        if self._least_cosine > -1.0:
            return None
        return NativeSensor("ECHO", 1, (self._near,), (self.imperfection,), rays=self._beams)

    def measure(self) -> tuple[float]:
        hits = self._beams.cast()
        distances = hits.distances
        if self._least_cosine > -1.0:
            cosines = np.abs(np.einsum("ij,ij->i", hits.normals, self._beams.directions))
            distances = np.where(cosines >= self._least_cosine, distances, np.inf)
        return (float(distances.min()),)

    def report(self, values: Sequence[float]) -> tuple[float]:
        (distance,) = self.imperfection.of_few(values)
        return (max(self._near, distance),)
