"""One ray: an infrared or triangulating (PSD) distance sensor, or a whisker of that length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device
from ubersim.components.sensors.ranging import RangeFinder, beams, fan
from ubersim.description.component import component
from ubersim.protocol.quantity import Quantity


@component
class WhiskerSensor(RangeFinder):
    """Measures the distance straight ahead; `Noise`, `Bias` and `Resolution` are in metres."""

    dtype = "<f4"
    reading = "f32: distance to the first thing along its forward axis [m]; infinite if nothing is within `Range`"
    quantities = (Quantity("distance", "m"),)

    def build(self, mount: Mount, rng: np.random.Generator) -> Whisker:
        return Whisker(mount, self, rng)


class Whisker(Device):
    """The device."""

    def __init__(self, mount: Mount, sensor: WhiskerSensor, rng: np.random.Generator) -> None:
        super().__init__(sensor.imperfection(rng), 1)
        self._beams = beams(mount, fan(np.zeros(1)), sensor)
        self._near = sensor.near

    def measure(self) -> tuple[float]:
        return (float(self._beams.cast().distances[0]),)

    def report(self, values: Sequence[float]) -> tuple[float]:
        (distance,) = self.imperfection.of_few(values)
        return (max(self._near, distance),)

    def native(self) -> NativeSensor:
        """As the native lane knows it: a sonar of one ray."""
        return NativeSensor("ECHO", 1, (self._near,), (self.imperfection,), rays=self._beams)
