"""Dead reckoning from the turns of two wheels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.base import JointDescription
from ubersim.description.component import component
from ubersim.description.fields import integer, number, reference
from ubersim.errors import WorldError
from ubersim.geometry import product
from ubersim.protocol.quantity import Quantity

if TYPE_CHECKING:
    from ubersim.physics import Joint


@component
class OdometrySensor(Measurement):
    """Adds up the way of a robot on two driven wheels, from their joints alone: where they slip, it errs.

    `Noise`, `Bias` and `Resolution` are those of the wheels' encoders [rad]. Between two readings the wheels' speeds
    are taken to keep their ratio; at 50 Hz and more that hardly matters.
    """

    dtype = "<f4"
    reading = (
        "3 f32: x, y [m] and heading [rad, to the left, not wrapped] since the robot joined, seen from where the "
        "sensor was then: x to its right, y forward"
    )
    quantities = (Quantity("x", "m"), Quantity("y", "m"), Quantity("heading", "rad"))

    left_wheel: str = reference("joint of the left wheel", to=JointDescription)
    right_wheel: str = reference("joint of the right wheel", to=JointDescription)
    wheel_axis: int = integer("axis of the joints about which the wheels turn", low=1, high=3, default=1)
    wheel_radius: float = number("radius of the wheels", unit="m", low=1e-4, high=100)
    track: float = number("distance between the wheels", unit="m", low=1e-4, high=100)

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Odometer:
        axis = self.wheel_axis - 1
        wheels = []
        for name in (self.left_wheel, self.right_wheel):
            joint = mount.joints[name]
            if axis >= joint.axes or not joint.measured:
                raise WorldError(f"{self.name}: joint {name!r} has no angle about an axis {self.wheel_axis}")
            wheels.append(OdometryWheel(mount, joint, axis))
        return Odometer(mount, self, wheels, self.imperfection(rng, 2))


class OdometryWheel:
    """How far a wheel has turned forwards, over any number of turns."""

    def __init__(self, mount: Mount, joint: Joint, axis: int) -> None:
        self._joint = joint
        self._axis = axis
        right = mount.pose_in_world().rotation[:, 0]
        # Rolling forward turns a wheel about the axis that points left; the joint tells how body 1 turns.
        first_is_wheel = joint.bodies[0] is not mount.body
        self._sign = -math.copysign(1.0, float(product(right, joint.axis(axis)))) * (1 if first_is_wheel else -1)
        self.turned, self.rate = self._now()

    def _now(self) -> tuple[float, float]:
        return self._sign * self._joint.position(self._axis), self._sign * self._joint.rate(self._axis)

    def update(self, seconds: float) -> float:
        """The angle after so much time [rad]: of all that look alike, the one that the rates speak for."""
        angle, rate = self._now()
        expected = self.turned + (self.rate + rate) / 2 * seconds
        self.turned = expected + math.remainder(angle - expected, 2 * math.pi)
        self.rate = rate
        return self.turned


class Odometer(Device):
    """The device."""

    def __init__(
        self, mount: Mount, sensor: OdometrySensor, wheels: list[OdometryWheel], encoders: Imperfection
    ) -> None:
        super().__init__(encoders, 3)
        self._there = mount.surroundings
        self._wheels = wheels
        self._radius, self._track = sensor.wheel_radius, sensor.track
        self._frame = self._there.frame
        self._pose = [0.0, 0.0, 0.0]
        self._ticks = self._encoders()

    def measure(self) -> list[float]:
        before, self._ticks = self._ticks, self._encoders()
        left, right = (self._radius * (now - then) for now, then in zip(self._ticks, before, strict=True))
        self._go(left, right)
        return self._pose

    def report(self, values: Sequence[float]) -> Sequence[float]:
        return values  # the errors are in the encoders already, and in all that follows from them

    def _encoders(self) -> list[float]:
        seconds = (self._there.frame - self._frame) * self._there.world.step
        self._frame = self._there.frame
        return list(self.imperfection.of_few([wheel.update(seconds) for wheel in self._wheels]))

    def _go(self, left: float, right: float) -> None:
        """Along an arc, by the ways of both wheels [m]."""
        x, y, heading = self._pose
        way, turn = (left + right) / 2, (right - left) / self._track
        chord = way * (math.sin(turn / 2) / (turn / 2) if turn else 1.0)
        middle = heading + turn / 2
        self._pose = [x - chord * math.sin(middle), y + chord * math.cos(middle), heading + turn]

    def state(self) -> dict[str, Any]:
        wheels = [[wheel.turned, wheel.rate] for wheel in self._wheels]
        own = {"pose": self._pose, "ticks": self._ticks, "frame": self._frame, "wheels": wheels}
        return super().state() | own

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._pose, self._ticks, self._frame = list(state["pose"]), list(state["ticks"]), state["frame"]
        for wheel, (turned, rate) in zip(self._wheels, state["wheels"], strict=True):
            wheel.turned, wheel.rate = turned, rate
