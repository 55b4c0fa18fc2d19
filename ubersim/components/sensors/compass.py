"""Heading, as a compass reports it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.component import component
from ubersim.description.fields import angle
from ubersim.geometry import turned
from ubersim.protocol.quantity import Quantity


@component
class CompassSensor(Measurement):
    """Measures the heading, in the sense of a spawn point's `Heading`; `Noise` and `Bias` are in radians."""

    dtype = "<f4"
    reading = (
        "f32: heading [rad] of its forward axis, from -pi to pi: 0 along the world's +y, growing to the left: "
        "atan2(-x, y) of that axis"
    )
    quantities = (Quantity("heading", "rad"),)

    resolution: float = angle(
        "step to which the heading is rounded, after bias and noise; 0: none", low=0, high=90, default=0.0
    )

    def build(self, mount: Mount, rng: np.random.Generator) -> Compass:
        return Compass(mount, self.imperfection(rng))


class Compass(Device):
    """The device."""

    def __init__(self, mount: Mount, imperfection: Imperfection) -> None:
        super().__init__(imperfection, 1)
        self._body = mount.body
        self._forward = mount.pose.rotation[:, 1].tolist()

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        return NativeSensor("HEADING", 1, self._forward, (self.imperfection,), self._body)

    def measure(self) -> tuple[float]:
        x, y, _ = turned(self._body.rotation, self._forward)
        return (math.atan2(-x, y),)

    def report(self, values: Sequence[float]) -> tuple[float]:
        (heading,) = self.imperfection.of_few(values)
        return (math.remainder(heading, 2 * math.pi),)  # an error may have taken it across the seam
