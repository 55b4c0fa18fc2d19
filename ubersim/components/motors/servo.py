"""A position servo with a PID law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ubersim.components.joints.properties import STRONGEST
from ubersim.components.motors import trajectory
from ubersim.components.motors.clamp import LEAST_DAMPING, UNLIMITED_FORCE, UNLIMITED_SPEED
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import EFFORT, PLACE, STEEPEST, in_si, speed_limit
from ubersim.components.motors.positioning import PositionController, measured_axis
from ubersim.components.native_forms import NativeMotor
from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.motors import AxisMotor
from ubersim.protocol.properties import MOTOR_PROPERTIES

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint

_TARGET = MOTOR_PROPERTIES["Target"]
_NATIVE_ORDER = ("target", "kp", "ki", "kd", "torque_limit", "speed_limit", "windup_limit")


@component
class PositionServo(AxisMotor):
    """Goes to a position and holds it: Kp * error + Ki * its integral - Kd * rate, within its limits.

    The error and the rate are those at the end of the step, so that no gain is too stiff for the length of a frame.
    """

    payload: ClassVar[str] = (
        "a trajectory, of waypoints of 12 bytes: f32 time from its execution [s], f32 position [rad or m], f32 "
        "velocity there [rad/s or m/s]; `Target` runs through them on cubic curves, from where it is then, and stays "
        "at the last; without any waypoint, and when `Target` is set, a trajectory ends"
    )

    target: float = number(
        "where it goes, from the joint's initial pose; rad or m at run time",
        unit=PLACE,
        low=-FARTHEST,
        high=FARTHEST,
        default=0.0,
        index="Target",
    )
    kp: float = number("torque per error", unit="N m/rad or N/m", low=0, above=True, high=STEEPEST, index="Kp")
    ki: float = number(
        "torque per error and time", unit="N m/(rad s) or N/(m s)", low=0, high=STEEPEST, default=0.0, index="Ki"
    )
    kd: float = number("torque per rate", unit="N m s/rad or N s/m", low=0, high=STEEPEST, default=0.0, index="Kd")
    torque_limit: float = number("the most that it exerts", unit=EFFORT, low=0, high=STRONGEST, index="TorqueLimit")
    speed_limit: float = speed_limit()
    windup_limit: float = number(
        "the most that the integral part grows to",
        unit=EFFORT,
        low=0,
        high=STRONGEST,
        default=UNLIMITED_FORCE,
        index="WindupLimit",
    )

    def decoded(self, payload: bytes) -> list[trajectory.Waypoint]:
        return trajectory.decoded(payload)

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        return ServoController(self, measured_axis(self, joints, "that a servo could hold"), step)


class ServoController(PositionController):
    """One PID loop. The joint's own motor does the damping: aimed at speed c it exerts damping * (c - rate)."""

    memory = ("integral", "waypoints", "began")
    target: float
    kp: float
    ki: float
    kd: float
    torque_limit: float
    speed_limit: float
    windup_limit: float

    def __init__(self, description: PositionServo, axis: DrivenAxis, step: float) -> None:
        super().__init__(description, axis)
        self.target = in_si(description.target, axis)
        self.integral = 0.0
        """The integral part [N m or N]."""
        self.waypoints: Sequence[trajectory.Waypoint] = ()
        """The trajectory that `target` runs through, from where it was at time 0; empty: it rests."""
        self.began = 0
        """The frame of that time."""
        self._wraps = axis.turns_freely()
        self._step = step

    def native(self) -> NativeMotor | None:
        """As the native lane knows it; not on a trajectory."""
        if self.waypoints:
            return None
        return NativeMotor("SERVO", _NATIVE_ORDER, self._clamp.axis, ("integral",), self._wraps)

    def prepare(self) -> None:
        # At the end of the step the error is smaller by step * rate: the proportional part damps, too.
        self._clamp.damping = max(self.kd + self._step * self.kp, LEAST_DAMPING)
        self._clamp.force = self.torque_limit
        self._clamp.speed = self.speed_limit
        self._drive = self._clamp.reach if self.speed_limit < UNLIMITED_SPEED else self._clamp.aim
        self._growth = self.ki * self._step

    def set(self, number: int, value: float, frame: int) -> None:
        super().set(number, value, frame)
        if number == _TARGET:
            self.waypoints = ()

    def execute(self, decoded: list[trajectory.Waypoint], frame: int) -> None:
        velocity = trajectory.target_at(self.waypoints, self._since_began(frame))[1] if self.waypoints else 0.0
        here = () if decoded and decoded[0][0] == 0.0 else ((0.0, self.target, velocity),)
        self.waypoints, self.began = (*here, *decoded) if decoded else (), frame

    def step(self, frame: int) -> bool:
        push = 0.0
        if self.waypoints:
            time = self._since_began(frame + 1)  # when the step is over
            self.target, velocity = trajectory.target_at(self.waypoints, time)
            push = self.kd * velocity
            if time >= self.waypoints[-1][0]:
                self.waypoints = ()
        error = self._error(self.target, self._position())
        if self._growth:
            most = self.windup_limit
            integral = self.integral + self._growth * error
            self.integral = most if integral > most else -most if integral < -most else integral
        self._drive((self.kp * error + self.integral + push) / self._clamp.damping)
        return True

    def _since_began(self, frame: int) -> float:
        """Time on the trajectory [s]."""
        return (frame - self.began) * self._step
