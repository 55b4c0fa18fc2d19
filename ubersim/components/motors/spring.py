"""A spring and a damper, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ubersim.components.motors.clamp import LEAST_DAMPING
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import PLACE, STEEPEST, in_si, torque_limit
from ubersim.components.motors.positioning import PositionController, measured_axis
from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.motors import AxisMotor

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint


@component
class SpringDamper(AxisMotor):
    """Pulls towards a position of rest, and brakes: Stiffness * distance - Damping * rate, at the end of the step."""

    stiffness: float = number(
        "of the spring", unit="N m/rad or N/m", low=0, above=True, high=STEEPEST, index="Stiffness"
    )
    damping: float = number(
        "of the damper", unit="N m s/rad or N s/m", low=0, high=STEEPEST, default=0.0, index="Damping"
    )
    rest: float = number(
        "where the spring is relaxed, from the joint's initial pose; rad or m at run time",
        unit=PLACE,
        low=-FARTHEST,
        high=FARTHEST,
        default=0.0,
        index="Rest",
    )
    torque_limit: float = torque_limit()

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        return SpringController(self, measured_axis(self, joints, "that a spring could pull at"), step)


class SpringController(PositionController):
    """The servo's law without an integral."""

    stiffness: float
    damping: float
    rest: float
    torque_limit: float

    def __init__(self, description: SpringDamper, axis: DrivenAxis, step: float) -> None:
        super().__init__(description, axis)
        self.rest = in_si(description.rest, axis)
        self._step = step

    def prepare(self) -> None:
        self._clamp.damping = max(self.damping + self._step * self.stiffness, LEAST_DAMPING)
        self._clamp.force = self.torque_limit
        self._pull = self.stiffness / self._clamp.damping

    def step(self, frame: int) -> bool:
        self._clamp.aim(self._pull * self._error(self.rest, self._position()))
        return True
