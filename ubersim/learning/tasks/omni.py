"""The omnidirectional robot of the middle size league: to go somewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ubersim.learning.actions import ActionInput
from ubersim.learning.start import heading_of
from ubersim.learning.task import Task

_REACHED = 0.15
_WHEEL = 20.0
"""Fastest turning of a wheel [rad/s]: 1 m/s."""


class OmniGoTo(Task):
    """Goes to a point and stays there. It is told where that is, as seen by itself."""

    robot_file = "robots/msl_omni.xml"
    observation = ("Place",)
    action: ClassVar[ActionInput] = {f"{wheel}.Vel": (-_WHEEL, _WHEEL) for wheel in ("Right", "Left", "Rear")}
    control_hz = 25.0
    seconds = 6.0
    extra = 2

    def begin(self, rng: np.random.Generator) -> None:
        angle, distance = rng.uniform(-math.pi, math.pi), rng.uniform(0.5, 2.0)
        x, y, _ = self.robot.bodies["Base"].position
        self._goal = float(x + distance * math.cos(angle)), float(y + distance * math.sin(angle))
        self._away = self.distance()

    def tell(self) -> Sequence[float]:
        """Where the goal is, to the right and forward [m]."""
        body = self.robot.bodies["Base"]
        x, y = self._goal[0] - body.position[0], self._goal[1] - body.position[1]
        sine, cosine = math.sin(heading_of(body)), math.cos(heading_of(body))
        return float(cosine * x + sine * y), float(-sine * x + cosine * y)

    def distance(self) -> float:
        """How far the goal is [m]."""
        position = self.robot.bodies["Base"].position
        return math.hypot(self._goal[0] - position[0], self._goal[1] - position[1])

    def reward(self, action: Sequence[float]) -> float:
        before, self._away = self._away, self.distance()
        return 5.0 * (before - self._away) + (0.5 * self.periods if self._away < _REACHED else 0.0)

    def succeeded(self) -> bool:
        return self.distance() < _REACHED
