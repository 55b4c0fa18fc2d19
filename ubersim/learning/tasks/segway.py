"""The Segway: to stand, and to drive as told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ubersim.control.balancer import BALANCE, TOP_SPEED, WHEEL_RADIUS
from ubersim.learning.actions import ActionInput
from ubersim.learning.start import tilt_about
from ubersim.learning.task import Task

FALLEN = math.radians(40.0)
"""A tilt from which it does not come back."""
_TILT = math.radians(20.0)
"""That far from its balance nothing is good any more."""


class SegwayBalance(Task):
    """Stands on the spot, from a start that leans. Beside the tilt, the policy is told how fast that has changed."""

    robot_file = "robots/segway.xml"
    observation = ("Tilt",)
    action: ClassVar[ActionInput] = {("LMotor.Vel", "RMotor.Vel"): (-TOP_SPEED, TOP_SPEED)}
    past = 2
    extra = 1

    def begin(self, rng: np.random.Generator) -> None:
        tilt_about(self.robot, (BALANCE + float(rng.uniform(-0.06, 0.06))), WHEEL_RADIUS)
        self._last: tuple[int, float] | None = None
        self._rate = 0.0

    def tell(self) -> Sequence[float]:
        """Of the last two readings that were seen: how fast the tilt changes [rad/s]."""
        channel = self.robot.sensors["Tilt"]
        if channel.latest is not None:
            now = channel.latest_frame, float(self.robot.read("Tilt"))  # type: ignore[arg-type]  # a number
            if self._last is not None and now[0] > self._last[0]:
                elapsed = (now[0] - self._last[0]) * self.simulation.step_size
                self._rate = (now[1] - self._last[1]) / elapsed
            self._last = now
        return (self._rate,)

    def reward(self, action: Sequence[float]) -> float:
        body = self.robot.bodies["MainBody"]
        lean = (self.tilt() - BALANCE) / _TILT
        speed, away = float(body.linear_velocity[1]) / 2.0, float(body.position[1]) / 3.0
        costs = min(1.0, lean * lean) + 0.2 * min(1.0, speed * speed) + 0.1 * min(1.0, away * away)
        return self.periods * (1.0 - costs)

    def failed(self) -> bool:
        return abs(self.tilt() - BALANCE) > FALLEN

    def tilt(self) -> float:
        """The true one, nose up [rad]."""
        rotation = self.robot.bodies["MainBody"].rotation
        return math.atan2(rotation[2, 1], rotation[2, 2])


class SegwayDrive(SegwayBalance):
    """Drives at a speed and turns at a rate that it is told, and which change in the midst of the episode."""

    action: ClassVar[ActionInput] = {"LMotor.Vel": (-TOP_SPEED, TOP_SPEED), "RMotor.Vel": (-TOP_SPEED, TOP_SPEED)}
    extra = 3
    _FASTEST, _FASTEST_TURN = 1.0, 0.8

    def begin(self, rng: np.random.Generator) -> None:
        super().begin(rng)
        self._wanted = [
            (float(rng.uniform(-self._FASTEST, self._FASTEST)), float(rng.uniform(-1, 1)) * self._FASTEST_TURN)
            for _ in range(2)
        ]

    def tell(self) -> Sequence[float]:
        """The rate of the tilt; the speed [m/s] and the turn rate to the left [rad/s] that are wanted now."""
        return (*super().tell(), *self._goal())

    def _goal(self) -> tuple[float, float]:
        return self._wanted[0 if self.simulation.time < self.seconds / 2 else 1]

    def _errors(self) -> tuple[float, float]:
        body, (speed, turn) = self.robot.bodies["MainBody"], self._goal()
        forward = body.rotation[:, 1]
        along = math.hypot(forward[0], forward[1])
        driven = (body.linear_velocity[0] * forward[0] + body.linear_velocity[1] * forward[1]) / along
        return (driven - speed) / self._FASTEST, (body.angular_velocity[2] - turn) / self._FASTEST_TURN

    def reward(self, action: Sequence[float]) -> float:
        speed, turn = self._errors()
        lean = (self.tilt() - BALANCE) / _TILT
        costs = 0.5 * min(1.0, speed * speed) + 0.2 * min(1.0, turn * turn) + 0.3 * min(1.0, lean * lean)
        return self.periods * (1.0 - costs)

    def succeeded(self) -> bool:
        return not self.failed() and abs(self._errors()[0]) < 0.3
