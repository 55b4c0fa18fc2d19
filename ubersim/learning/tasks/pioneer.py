"""The Pioneer with its laser: to drive along a wall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ubersim.description import shipped
from ubersim.learning.actions import ActionInput
from ubersim.learning.start import move
from ubersim.learning.task import Task

WALL = 0.6
"""How far from the wall it is to be [m]."""
_NEAREST = 0.25
"""Nearer than that to anything, it has as good as hit it [m]."""


class PioneerWall(Task):
    """Drives along the south wall of a room, which is to its right, at a distance; it sees by its laser alone."""

    robot_file = "robots/pioneer.xml"
    world_file = shipped("worlds/room.xml")
    observation = ("Laser",)
    action: ClassVar[ActionInput] = {"LMotor.Speed": (-4.0, 8.0), "RMotor.Speed": (-4.0, 8.0)}
    control_hz = 20.0
    seconds = 8.0

    def begin(self, rng: np.random.Generator) -> None:
        # To the west end of the south wall, looking east.
        x, y, _ = self.robot.spawned_at.position
        place = (-1.6 - x, -3.0 + WALL + float(rng.uniform(-0.15, 0.15)) - y)
        move(self.robot, place, -np.pi / 2 + float(rng.uniform(-0.2, 0.2)))

    def distance(self) -> float:
        """From the wall [m]."""
        return float(self.robot.bodies["Base"].position[1]) + 3.0

    def reward(self, action: Sequence[float]) -> float:
        error = (self.distance() - WALL) / 0.3
        along = float(self.robot.bodies["Base"].linear_velocity[0])
        return self.periods * (along - 0.5 * min(1.0, error * error))

    def failed(self) -> bool:
        x = float(self.robot.bodies["Base"].position[0])
        return not (_NEAREST < self.distance() < 2.0 and -2.7 < x < 2.7)

    def succeeded(self) -> bool:
        return not self.failed() and self.robot.bodies["Base"].position[0] > 0.5
