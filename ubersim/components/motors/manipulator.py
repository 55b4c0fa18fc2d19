"""A part that switches between given poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ubersim.components.joints.properties import FASTEST, STRONGEST
from ubersim.components.motors.clamp import APPROACH
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import EFFORT, PLACE, RATE, in_si
from ubersim.components.motors.positioning import PositionController, measured_axis
from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import Flaw, component
from ubersim.description.fields import number, numbers
from ubersim.description.motors import AxisMotor
from ubersim.protocol.properties import MOTOR_PROPERTIES

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint

MOST_POSES = 256


@component
class Manipulator(AxisMotor):
    """Moves its joint to one of several positions, by number, with constant speed, and holds it there."""

    pose: float = number(
        "number of the position to go to, from 0; rounded", low=0, high=MOST_POSES - 1, default=0.0, index="Pose"
    )
    poses: tuple[float, ...] = numbers(
        "the positions, from the joint's initial pose",
        unit=PLACE,
        low=-FARTHEST,
        high=FARTHEST,
        group=1,
        most=MOST_POSES,
    )
    speed: float = number("how fast it moves", unit=RATE, low=0, above=True, high=FASTEST, index="Speed")
    torque_limit: float = number("the most that it exerts", unit=EFFORT, low=0, high=STRONGEST, index="TorqueLimit")

    @cached_property
    def limits(self) -> Mapping[int, tuple[float, float]]:
        return {**super().limits, MOTOR_PROPERTIES["Pose"]: (0.0, len(self.poses) - 1.0)}

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.pose > len(self.poses) - 1:
            yield Flaw(f"there are {len(self.poses)} poses, the first is 0", "pose")

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        return PoseController(self, measured_axis(self, joints, "to go to"), step)


class PoseController(PositionController):
    """Aims at the speed that brings it there, which its clamp bounds."""

    pose: float
    speed: float
    torque_limit: float

    def __init__(self, description: Manipulator, axis: DrivenAxis, step: float) -> None:
        super().__init__(description, axis)
        self._poses = [in_si(place, axis) for place in description.poses]
        self._haste = 1.0 / (APPROACH * step)

    def prepare(self) -> None:
        self._clamp.force, self._clamp.speed = self.torque_limit, self.speed
        self._goal = self._poses[round(self.pose)]

    def step(self, frame: int) -> bool:
        self._clamp.aim(self._haste * self._error(self._goal, self._position()))
        return True
