"""A switch that is closed by a push."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.description.component import component
from ubersim.description.fields import angle, number
from ubersim.geometry import product
from ubersim.protocol.quantity import Quantity


@component
class BumperSensor(SensorDescription):
    """A ring, or a part of one, that closes a switch when something pushes against it; `Noise` has no meaning here.

    What counts is the part of a force that points at the sensor's z axis, of forces less than 45 degrees steep: the
    floor below does not press it.
    """

    dtype = "|u1"
    reading = "1 byte: 1 if it was pressed in the last step, else 0"
    quantities = (Quantity("pressed"),)

    fov: float = angle(
        "the sector about its forward axis in which it feels contacts of its body", low=0.1, high=360,
        default=2 * math.pi,
    )  # fmt: skip
    threshold: float = number("force that closes the switch; 0: any", unit="N", low=0, high=1e6, default=0.0)

    def build(self, mount: Mount, rng: np.random.Generator) -> Bumper:
        return Bumper(mount, self.fov, self.threshold)


class Bumper:
    """The device."""

    def __init__(self, mount: Mount, fov: float, threshold: float) -> None:
        self._mount = mount
        self._widest = fov / 2 + 1e-9
        self._threshold = threshold
        mount.body.feel()

    def push(self) -> float:
        """The force towards its z axis within its sector [N]."""
        touches = self._mount.body.touches()
        if not len(touches.geoms):
            return 0.0
        frame = self._mount.pose_in_world()
        total = 0.0
        places = product(touches.positions - frame.position, frame.rotation)
        forces = product(touches.forces, frame.rotation)
        for (x, y, _), (push_x, push_y, push_z) in zip(places.tolist(), forces.tolist(), strict=True):
            distance = math.sqrt(x * x + y * y)
            if distance and abs(math.atan2(x, y)) <= self._widest:
                inwards = -(push_x * x + push_y * y) / distance
                total += inwards if inwards > abs(push_z) else 0.0
        return total

    def sample(self) -> bytes:
        """The reading now."""
        push = self.push()
        return b"\1" if push > 0.0 and push >= self._threshold else b"\0"

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        numbers = *self._mount.numbers(), self._widest, self._threshold
        return NativeSensor("BUMP", 1, numbers, body=self._mount.body)

    def set(self, number: int, value: float) -> None:
        """`Noise`, which changes nothing."""

    def state(self) -> dict[str, Any]:
        """It remembers nothing."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to go on from."""
