"""One joint that follows another, as the fingers of a gripper do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ubersim.components.motors.clamp import Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import PLACE, in_si, torque_limit
from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number, reference
from ubersim.description.motors import AxisMotor
from ubersim.errors import WorldError

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint

CORRECTED = 0.2
"""Share of the error that is made good in a step."""


@component
class MimicMotor(AxisMotor):
    """Keeps a joint at `Factor` times another's position, plus `Offset`; the other one feels nothing of it."""

    leader: str = reference("the joint that it follows, on its first axis", to=JointDescription)
    factor: float = number("on the position of the other", low=-1e6, high=1e6, default=1.0)
    offset: float = number("added to it", unit=PLACE, low=-FARTHEST, high=FARTHEST, default=0.0)
    torque_limit: float = torque_limit()

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        own, leader = joints[self.joint].driven_axis(self.axis - 1), joints[self.leader].driven_axis(0)
        if not (own.measured and leader.measured):
            raise WorldError(f"{self.name}: joints {self.joint!r} and {self.leader!r} need positions")
        return MimicController(self, own, leader, step)


class MimicController(Controller):
    """Aims at the speed that goes with the leader's, and closes what has come apart."""

    torque_limit: float

    def __init__(self, description: MimicMotor, own: DrivenAxis, leader: DrivenAxis, step: float) -> None:
        super().__init__(description)
        self._factor, self._offset = description.factor, in_si(description.offset, own)
        self._own, self._leader = own, leader
        self._clamp = Clamp(own)
        self._haste = CORRECTED / step

    def engage(self) -> None:
        self._clamp.force = self.torque_limit
        self._clamp.engage()

    def step(self, frame: int) -> bool:
        error = self._factor * self._leader.position() + self._offset - self._own.position()
        self._clamp.aim(self._factor * self._leader.rate() + self._haste * error)
        return True
