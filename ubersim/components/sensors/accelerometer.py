"""Specific force, as accelerometers report it."""

from __future__ import annotations

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.components.sensors.strapdown import Strapdown
from ubersim.description.component import component
from ubersim.protocol.quantity import vector


@component
class AccelerometerSensor(Measurement):
    """Measures specific force along its own axes: +g upwards at rest, nothing in free fall; `Noise` is in m/s^2."""

    dtype = "<f4"
    reading = (
        "3 f32: acceleration of its place minus gravity [m/s^2], as of the last step, along its own x (right), "
        "y (forward) and z (up); in a robot's first frame, as if it had been at rest"
    )
    quantities = vector("force", "m/s^2")

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Accelerometer:
        return Accelerometer(mount, self.imperfection(rng, 3))


class Accelerometer(Device):
    """The device."""

    def __init__(self, mount: Mount, imperfection: Imperfection) -> None:
        super().__init__(imperfection, 3)
        self._motion = Strapdown(mount)

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        return NativeSensor("FORCE", 3, self._motion.numbers, (self.imperfection,), self._motion.body)

    def measure(self) -> tuple[float, float, float]:
        return self._motion.force()
