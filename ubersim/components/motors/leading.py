"""Drives that command other components: what they say reaches these as if the robot's program had said it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ubersim.components.commandable import Command
from ubersim.components.motors.motor import Motor
from ubersim.components.motors.twist import TwistController
from ubersim.components.motors.velocity import VelocityMotor
from ubersim.protocol.properties import AXIS_PROPERTIES, MOTOR_PROPERTIES


class LeadingDrive:
    """One such drive, and where its orders go: to a joint's own motor, or to the `VelocityMotor` that drives it."""

    def __init__(self, motor: Motor, controller: TwistController, velocity_motors: Mapping[str, str]) -> None:
        self.name = motor.name
        self._motor, self._controller = motor, controller
        self._velocity_motors = velocity_motors

    def commands(self, frame: int) -> Iterator[Command]:
        """What is to be done in this frame, before the other motors have their way."""
        self._motor.drive(frame)
        for joint, rate in self._controller.orders():
            if joint in self._velocity_motors:
                yield self._velocity_motors[joint], MOTOR_PROPERTIES["Speed"], rate
            else:
                yield joint, AXIS_PROPERTIES["Vel"], rate


def velocity_motors(motors: Iterable[Motor]) -> dict[str, str]:
    """The names of those that keep a speed of a joint's first axis, by the joint's."""
    plain = (motor.description for motor in motors if isinstance(motor.description, VelocityMotor))
    return {about.joint: about.name for about in plain if about.axis == 1}


def leading_drives(motors: Iterable[Motor]) -> tuple[LeadingDrive, ...]:
    """Those of a robot's motors that command others."""
    known = list(motors)
    by_joint = velocity_motors(known)
    return tuple(
        LeadingDrive(motor, motor.controller, by_joint)
        for motor in known
        if isinstance(motor.controller, TwistController)
    )
