"""What motors share that bring a joint to a position: an axis that measures one, and a clamp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ubersim.components.motors.clamp import Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import error_of
from ubersim.description.motors import AxisMotor
from ubersim.errors import WorldError

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint


def measured_axis(motor: AxisMotor, joints: Mapping[str, Joint], purpose: str) -> DrivenAxis:
    """The axis that a motor drives; refuses one without a position, which has the motor's `purpose`."""
    axis = joints[motor.joint].driven_axis(motor.axis - 1)
    if not axis.measured:
        raise WorldError(f"{motor.name}: joint {motor.joint!r} has no position {purpose}")
    return axis


class PositionController(Controller):
    """Knows where its axis is, and how far that is from where it should be."""

    def __init__(self, description: AxisMotor, axis: DrivenAxis) -> None:
        super().__init__(description)
        self._clamp = Clamp(axis)
        self._position = axis.position
        self._error = error_of(axis)

    def engage(self) -> None:
        self._clamp.engage()
