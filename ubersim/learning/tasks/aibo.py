"""The AIBO: to walk forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ubersim.learning.actions import ActionInput
from ubersim.learning.task import Task

LEGS = ("LF", "RF", "LH", "RH")
STANCE = {1: (-0.6, 0.6), 2: (-0.1, 0.4), 3: (-0.2, 1.2)}
"""Joints of a leg, and how far they are moved from standing straight [rad]."""
_TALL = 0.154
"""Height of the trunk's middle in the model [m]."""


class AiboWalk(Task):
    """Walks forward, as fast as it can; it feels acceleration and its paws, and remembers what it did."""

    robot_file = "robots/aibo.xml"
    observation = ("Acceleration", *(f"{leg}Foot" for leg in LEGS))
    action: ClassVar[ActionInput] = {
        f"{leg}{joint}Servo.Target": limits for leg in LEGS for joint, limits in STANCE.items()
    }
    control_hz = 25.0
    seconds = 8.0
    past = 1

    def reward(self, action: Sequence[float]) -> float:
        trunk = self.robot.bodies["Trunk"]
        effort = sum(number * number for number in action) / len(action)
        return self.periods * float(10.0 * trunk.linear_velocity[1] - 0.05 * effort)

    def failed(self) -> bool:
        trunk = self.robot.bodies["Trunk"]
        return bool(trunk.rotation[2, 2] < 0.5 or trunk.position[2] < 0.4 * _TALL)

    def succeeded(self) -> bool:
        return not self.failed() and self.robot.bodies["Trunk"].position[1] > 0.5
