"""The earth's magnetic field, as a device with three axes feels it."""

from __future__ import annotations

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.component import component
from ubersim.description.fields import vector
from ubersim.geometry import Triple
from ubersim.protocol.quantity import Quantity


@component
class MagnetometerSensor(Measurement):
    """Measures a field that is the same everywhere; `Noise`, `Bias` and `Resolution` are in microtesla."""

    dtype = "<f4"
    reading = "3 f32: the field [µT] along its own x (right), y (forward) and z (up)"
    quantities = (Quantity("x", "µT"), Quantity("y", "µT"), Quantity("z", "µT"))

    field: Triple = vector(
        "the field in the world's axes; by default that of central Europe, with +y to the north",
        unit="µT",
        high=1e6,
        default=(0.0, 20.0, -44.0),
    )

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Magnetometer:
        return Magnetometer(mount, self.field, self.imperfection(rng, 3))


class Magnetometer(Device):
    """The device."""

    def __init__(self, mount: Mount, field: Triple, imperfection: Imperfection) -> None:
        super().__init__(imperfection, 3)
        self._mount = mount
        self._field = np.array(field)

    def measure(self) -> list[float]:
        turned = self._mount.body.rotation @ self._mount.pose.rotation
        felt: list[float] = (turned.T @ self._field).tolist()
        return felt
