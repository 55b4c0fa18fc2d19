"""A motor that keeps a speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ubersim.components.joints.properties import FASTEST, STRONGEST
from ubersim.components.motors.clamp import Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import EFFORT, RATE
from ubersim.components.native_forms import NativeMotor
from ubersim.description.base import JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.motors import AxisMotor

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint

INSTANT = 1e9
"""An acceleration that is no bound."""


@component
class VelocityMotor(AxisMotor):
    """Keeps a speed, with all its torque if need be, and comes to it by a ramp."""

    speed: float = number("the speed that it keeps", unit=RATE, low=-FASTEST, high=FASTEST, default=0.0, index="Speed")
    torque_limit: float = number("the most that it exerts", unit=EFFORT, low=0, high=STRONGEST, index="TorqueLimit")
    acceleration: float = number(
        "how fast the speed that it keeps follows `Speed`",
        unit="rad/s^2 or m/s^2",
        low=0,
        above=True,
        high=INSTANT,
        default=INSTANT,
        index="Acceleration",
    )

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        return VelocityController(self, joints[self.joint].driven_axis(self.axis - 1), step)


class VelocityController(Controller):
    """Moves the speed of the joint's own motor towards the commanded one."""

    memory = ("kept",)
    speed: float
    torque_limit: float
    acceleration: float

    def __init__(self, description: VelocityMotor, axis: DrivenAxis, step: float) -> None:
        super().__init__(description)
        self.kept = 0.0
        """The speed that it keeps now."""
        self._clamp = Clamp(axis)
        self._step = step

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        return NativeMotor("VELOCITY", ("speed", "torque_limit", "acceleration"), self._clamp.axis, self.memory)

    def prepare(self) -> None:
        self._clamp.force = self.torque_limit

    def engage(self) -> None:
        self._clamp.engage()

    def step(self, frame: int) -> bool:
        most = self.acceleration * self._step
        change = self.speed - self.kept
        self.kept = self.speed if abs(change) <= most else self.kept + (most if change > 0 else -most)
        self._clamp.aim(self.kept)
        return self.kept != self.speed
