"""Absolute pitch or roll, as a liquid or inertial tilt sensor reports it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.component import component
from ubersim.description.fields import angle, choice
from ubersim.protocol.quantity import Quantities, Quantity


@component
class InclinometerSensor(Measurement):
    """Measures absolute pitch, or roll; `Noise` and `Bias` are in radians."""

    dtype = "<f4"
    reading = (
        "f32: pitch [rad], nose up positive: atan2(z of its forward axis, z of its up axis), from -pi to pi; "
        "or roll [rad], right side down positive: atan2(-z of its right axis, z of its up axis)"
    )
    quantities = (Quantity("pitch", "rad"),)

    axis: Literal["pitch", "roll"] = choice("what is measured", "pitch", "roll", default="pitch")
    resolution: float = angle(
        "step to which the angle is rounded, after bias and noise; 0: none", low=0, high=90, default=0.0
    )

    def quantities_on(self, joints: Mapping[str, Any]) -> Quantities:
        return (Quantity(self.axis, "rad"),)

    def build(self, mount: Mount, rng: np.random.Generator) -> Inclinometer:
        return Inclinometer(mount, self.axis, self.imperfection(rng))


class Inclinometer(Device):
    """The device."""

    def __init__(self, mount: Mount, axis: Literal["pitch", "roll"], imperfection: Imperfection) -> None:
        super().__init__(imperfection, 1)
        self._body = mount.body
        # Heights of the sensor's axes are products of the body's third matrix row with these columns.
        right, forward, up = mount.pose.rotation.T
        self._tilted = tuple(map(float, forward if axis == "pitch" else -right))
        self._up = tuple(map(float, up))

    def tilt(self) -> float:
        """The true angle [rad]."""
        rotations, row = self._body.world.rotations, self._body.row
        x, y, z = rotations.item(row, 2, 0), rotations.item(row, 2, 1), rotations.item(row, 2, 2)
        tilted, up = self._tilted, self._up
        return math.atan2(
            x * tilted[0] + y * tilted[1] + z * tilted[2],
            x * up[0] + y * up[1] + z * up[2],
        )  # fmt: skip

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        return NativeSensor("TILT", 1, (*self._tilted, *self._up), (self.imperfection,), self._body)

    def measure(self) -> tuple[float]:
        return (self.tilt(),)
