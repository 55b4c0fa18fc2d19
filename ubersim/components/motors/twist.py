"""A drive on wheels that is told by its twist: how fast forward, sideways and around."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ubersim.components.joints.hinge import JointHinge
from ubersim.components.joints.properties import FASTEST
from ubersim.components.motors.controller import Controller
from ubersim.components.native_forms import NativeMotor, NativeWheel
from ubersim.description.base import FARTHEST, STATIC, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number, references, vector
from ubersim.description.motors import MotorDescription
from ubersim.errors import WorldError
from ubersim.geometry import Triple

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis

MOST_WHEELS = 16
UPRIGHT = 0.999
"""An axle whose vertical part is above this carries no wheel."""
STRAIGHT = 1e-6
"""Where all wheels have a smaller share of sideways than this, the robot goes forward and around, and nowhere else."""


@component
class TwistDrive(MotorDescription):
    """Turns one command for the whole robot into those for its wheels: plain ones side by side, or omni wheels.

    It sets `Vel` of each wheel's hinge, or `Speed` of the `VelocityMotor` on it, as a program would, and only when it
    is told something: programs that command the wheels themselves are not disturbed. What the wheels cannot do is left
    out. A hinge without a motor needs `FMax` of its own.
    """

    wheels: tuple[str, ...] = references(
        "the hinges of its wheels; one of their two bodies is that of the robot, the same for all",
        to=JointDescription,
        least=2,
        most=MOST_WHEELS,
    )
    wheel_radius: float = number("of all wheels", unit="m", low=0, above=True, high=100)
    center: Triple = vector(
        "the point of model space whose velocity is told", unit="m", high=FARTHEST, default=(0.0, 0.0, 0.0)
    )
    speed: float = number("forward", unit="m/s", low=-FASTEST, high=FASTEST, default=0.0, index="Speed")
    sideways: float = number("to the right", unit="m/s", low=-FASTEST, high=FASTEST, default=0.0, index="Sideways")
    turn: float = number("turning to the left", unit="rad/s", low=-FASTEST, high=FASTEST, default=0.0, index="Turn")

    def driven(self) -> Iterable[tuple[str, int]]:
        return ()  # it commands what drives the wheels, or the hinges themselves

    def build(self, joints: Mapping[str, Any], described: Mapping[str, JointDescription], step: float) -> Controller:
        hinges = []
        for name in self.wheels:
            about = described[name]
            if not isinstance(about, JointHinge):
                raise WorldError(f"{self.name}: joint {name!r} is a {about.tag}; a wheel of a TwistDrive needs a hinge")
            hinges.append(about)
        base = _shared(hinges)
        if base is None:
            raise WorldError(f"{self.name}: the hinges of its wheels have no body in common, or two")
        wheels = [TwistedWheel.of(hinge, base, self) for hinge in hinges]
        return TwistController(self, wheels, [joints[name].driven_axis(0) for name in self.wheels])


def _shared(hinges: list[JointHinge]) -> str | None:
    """The one body that all hinges hold."""
    common = set.intersection(*({hinge.body1, hinge.body2} - {STATIC} for hinge in hinges))
    return common.pop() if len(common) == 1 else None


@dataclass(frozen=True)
class TwistedWheel:
    """How fast a hinge has to turn for each part of the robot's twist."""

    joint: str
    sideways: float
    """Per speed to the right [rad/m]."""
    speed: float
    """Per speed forward [rad/m]."""
    turn: float
    """Per rate of turning."""

    @classmethod
    def of(cls, hinge: JointHinge, base: str, drive: TwistDrive) -> TwistedWheel:
        """A wheel that turns by w about its axle goes by w * radius across it, seen from the robot."""
        x, y, z = (part / math.hypot(*hinge.axis) for part in hinge.axis)
        if abs(z) > UPRIGHT:
            raise WorldError(f"{drive.name}: the axle of {hinge.name!r} is upright; a wheel's lies")
        # A positive rate turns body 1 against body 2; across the axle is axis x up.
        scale = (1.0 if hinge.body2 == base else -1.0) / (drive.wheel_radius * math.hypot(x, y))
        right, ahead = hinge.anchor_pos[0] - drive.center[0], hinge.anchor_pos[1] - drive.center[1]
        across, along = scale * y, -scale * x
        return cls(hinge.name, across, along, right * along - ahead * across)


class TwistController(Controller):
    """Says what the wheels should do; the robot passes it on."""

    speed: float
    sideways: float
    turn: float

    def __init__(self, description: TwistDrive, wheels: list[TwistedWheel], axes: list[DrivenAxis]) -> None:
        super().__init__(description)
        self._wheels, self._axes = wheels, axes
        if all(abs(wheel.sideways) < STRAIGHT * abs(wheel.speed) for wheel in wheels):
            self.idle = ("Sideways",)
        self.changed = bool(description.speed or description.sideways or description.turn)
        self._orders: list[tuple[str, float]] = []

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        wheels = [
            NativeWheel((wheel.sideways, wheel.speed, wheel.turn), axis, hinge=wheel.joint)
            for wheel, axis in zip(self._wheels, self._axes, strict=True)
        ]
        return NativeMotor("TWIST", ("speed", "sideways", "turn"), wheels=wheels)

    def engage(self) -> None:
        for wheel in self._wheels:
            rate = self.sideways * wheel.sideways + self.speed * wheel.speed + self.turn * wheel.turn
            self._orders.append((wheel.joint, min(max(rate, -FASTEST), FASTEST)))

    def orders(self) -> Iterator[tuple[str, float]]:
        """Joints, and how fast each has to turn from now on [rad/s]; nothing if it was told nothing new."""
        while self._orders:
            yield self._orders.pop(0)
