"""How a robot moved during its demonstration: the ground truth, for the plots and the summary."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ubersim.geometry import Array

if TYPE_CHECKING:
    from ubersim.simulation import Simulation

FALLEN = math.radians(45.0)
"""A tilt from which no robot comes back."""


@dataclass
class Trajectory:
    """Of a robot's first body, and of the ball if there is one: samples, and what follows from them."""

    times: list[float] = field(default_factory=list)
    """[s]"""
    positions: list[Array] = field(default_factory=list)
    """[m]"""
    rotations: list[Array] = field(default_factory=list)
    velocities: list[Array] = field(default_factory=list)
    """[m/s]"""
    ball: list[Array] = field(default_factory=list)
    """Its positions [m]; empty in a world without one."""

    def sample(self, simulation: Simulation, robot: str) -> None:
        """Adds the current frame."""
        body = simulation.body(robot)
        self.times.append(simulation.time)
        self.positions.append(body.position.copy())
        self.rotations.append(body.rotation.copy())
        self.velocities.append(body.linear_velocity.copy())
        if "Ball" in simulation.objects:
            self.ball.append(simulation.objects["Ball"].position.copy())

    @property
    def pitches(self) -> Array:
        """Nose up is positive [rad]."""
        turns = np.array(self.rotations)
        return np.asarray(np.arctan2(turns[:, 2, 1], turns[:, 2, 2]))

    @property
    def forward_speeds(self) -> Array:
        """Of each sample, level; backwards is negative [m/s]."""
        ahead = np.array(self.rotations)[:, :2, 1]
        level = np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), 1e-9)
        return np.asarray((np.array(self.velocities)[:, :2] * ahead).sum(axis=1) / level)

    @property
    def speeds(self) -> Array:
        """Between the samples, level: one fewer than samples [m/s]."""
        steps = np.diff(np.array(self.positions)[:, :2], axis=0)
        return np.asarray(np.hypot(steps[:, 0], steps[:, 1]) / np.diff(self.times))

    @property
    def top_speed(self) -> float:
        """[m/s]"""
        return float(self.speeds.max())

    @property
    def distance(self) -> float:
        """Length of the path [m]."""
        return float(self.speeds @ np.diff(self.times))

    @property
    def largest_tilt(self) -> float:
        """Between its up axis and the world's [rad]."""
        return math.acos(min(1.0, float(np.array(self.rotations)[:, 2, 2].min())))

    @property
    def fell(self) -> bool:
        """Whether it was ever beyond return."""
        return self.largest_tilt > FALLEN
