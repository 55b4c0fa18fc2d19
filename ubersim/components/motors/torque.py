"""A motor that exerts a torque."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ubersim.components.joints.properties import STRONGEST
from ubersim.components.motors.clamp import Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import EFFORT, speed_limit, torque_limit
from ubersim.description.base import JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.motors import AxisMotor

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint


@component
class TorqueMotor(AxisMotor):
    """Exerts a torque, or along a slider a force, as long as its own speed limit is not reached."""

    torque: float = number("what it exerts", unit=EFFORT, low=-STRONGEST, high=STRONGEST, default=0.0, index="Torque")
    torque_limit: float = torque_limit()
    speed_limit: float = speed_limit()

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        return TorqueController(self, joints[self.joint].driven_axis(self.axis - 1))


class TorqueController(Controller):
    """Nothing but its clamp."""

    torque: float
    torque_limit: float
    speed_limit: float

    def __init__(self, description: TorqueMotor, axis: DrivenAxis) -> None:
        super().__init__(description)
        self._clamp = Clamp(axis)

    def prepare(self) -> None:
        self._clamp.force, self._clamp.speed = self.torque_limit, self.speed_limit

    def engage(self) -> None:
        self._clamp.push(self.torque)
