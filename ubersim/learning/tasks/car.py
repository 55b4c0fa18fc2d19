"""The model car: to drive a figure of eight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ubersim.learning.actions import ActionInput
from ubersim.learning.start import heading_of, move
from ubersim.learning.task import Task

SIZE = 2.0
"""Of either loop [m]: the curve is x = SIZE sin 2s, y = 2 SIZE sin s, which crosses itself in the origin."""
_AHEAD = (0.1, 0.25, 0.5)
"""How far ahead the policy is told where the curve goes, along its parameter."""
_FARTHEST = 1.0
"""So far beside the curve it is lost [m]."""


def curve(s: float) -> tuple[float, float]:
    """A point of the figure of eight; it is once round when s has grown by 2 pi."""
    return SIZE * math.sin(2 * s), 2 * SIZE * math.sin(s)


class CarEight(Task):
    """Follows the curve, as fast as it can. It is told where the curve goes, as a camera above would tell it."""

    robot_file = "robots/car.xml"
    observation = ("Imu", "RearWheel")
    action: ClassVar[ActionInput] = {"Drive.Speed": (0.0, 3.0), "Drive.Steering": (-0.4, 0.4)}
    seconds = 20.0
    extra = 2 * len(_AHEAD)

    def begin(self, rng: np.random.Generator) -> None:
        # At the crossing the curve goes up and to the right.
        start = -math.atan2(2 * SIZE, 2 * SIZE)
        move(self.robot, (float(rng.uniform(-0.05, 0.05)), 0.0), start + float(rng.uniform(-0.1, 0.1)))
        self._s = self._last = 0.0

    def tell(self) -> Sequence[float]:
        """Points ahead on the curve, to the right and forward as the car sees them [m]."""
        body = self.robot.bodies["Car"]
        sine, cosine = math.sin(heading_of(body)), math.cos(heading_of(body))
        told: list[float] = []
        for ahead in _AHEAD:
            x, y = curve(self._s + ahead)
            x, y = x - body.position[0], y - body.position[1]
            told += [cosine * x + sine * y, -sine * x + cosine * y]
        return told

    def reward(self, action: Sequence[float]) -> float:
        self._last, self._s = self._s, self._nearest()
        return 10.0 * (self._s - self._last) - 0.2 * self.periods * self._distance(self._s)

    def failed(self) -> bool:
        return self._distance(self._s) > _FARTHEST

    def succeeded(self) -> bool:
        return not self.failed() and self._s > 2 * math.pi

    def _nearest(self) -> float:
        """Of the points near the last one: the other branch of the crossing is none of them."""
        return min((self._s + 0.01 * k for k in range(-5, 26)), key=self._distance)

    def _distance(self, s: float) -> float:
        x, y = curve(s)
        position = self.robot.bodies["Car"].position
        return math.hypot(x - position[0], y - position[1])
