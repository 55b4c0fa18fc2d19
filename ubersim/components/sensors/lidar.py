"""A laser scanner: distances in many directions of one plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import ImperfectDevice, Imperfection
from ubersim.components.sensors.ranging import BeamScan, beams, fan
from ubersim.description.component import component
from ubersim.protocol.quantity import Quantity

if TYPE_CHECKING:
    from ubersim.physics import RayBatch


@component
class LidarSensor(BeamScan):
    """Scans its own x-y plane; `Noise`, `Bias` (of each beam) and `Resolution` are in metres.

    Beam i of N looks at the angle -Fov/2 + i Fov/(N - 1) from the forward axis, positive to the left, so that the scan
    runs from right to left; with 360 degrees, where both ends would meet, at -Fov/2 + i Fov/N.
    """

    dtype = "<f4"
    reading = "`Beams` f32: distances from right to left [m]; infinite where nothing is within `Range`"
    quantities = (Quantity("distance", "m"),)

    def build(self, mount: Mount, rng: np.random.Generator) -> Lidar:
        return Lidar(beams(mount, fan(self.angles()), self), self.near, self.imperfection(rng, self.beams))


class Lidar(ImperfectDevice):
    """The device."""

    def __init__(self, rays: RayBatch, near: float, imperfection: Imperfection) -> None:
        super().__init__(imperfection)
        self._rays = rays
        self._near = near

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        count = len(self._rays.directions)
        return NativeSensor("SCAN", count, (self._near,), (self.imperfection,), rays=self._rays)

    def sample(self) -> bytes:
        """The scan now."""
        distances = np.maximum(self.imperfection.of(self._rays.cast().distances), self._near)
        return distances.astype("<f4").tobytes()
