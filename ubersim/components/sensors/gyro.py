"""Angular velocity, as gyroscopes report it."""

from __future__ import annotations

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.components.sensors.strapdown import Strapdown
from ubersim.description.component import component
from ubersim.protocol.quantity import vector


@component
class GyroSensor(Measurement):
    """Measures the angular velocity about its own axes; `Noise` is in rad/s."""

    dtype = "<f4"
    reading = "3 f32: angular velocity [rad/s] about its own x (right), y (forward) and z (up)"
    quantities = vector("rate", "rad/s")

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Gyro:
        return Gyro(mount, self.imperfection(rng, 3))


class Gyro(Device):
    """The device."""

    def __init__(self, mount: Mount, imperfection: Imperfection) -> None:
        super().__init__(imperfection, 3)
        self._motion = Strapdown(mount)

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        return NativeSensor("RATE", 3, self._motion.numbers, (self.imperfection,), self._motion.body)

    def measure(self) -> tuple[float, float, float]:
        return self._motion.rate()
