"""How a robot moved during its demonstration: the truth, for plots and for the closing table."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ubersim.geometry import Array

if TYPE_CHECKING:
    from ubersim.simulation import Simulation

FALLEN = math.radians(45.0)
"""A tilt from which it does not come back."""


@dataclass
class Track(ABC):
    """What all of them tell."""

    times: list[float] = field(default_factory=list)
    """[s]"""
    tilts: list[float] = field(default_factory=list)
    """[rad]"""

    @property
    def largest_tilt(self) -> float:
        """To whichever side [rad]."""
        return max(map(abs, self.tilts))

    @property
    def fell(self) -> bool:
        """Whether it ever did."""
        return self.largest_tilt > FALLEN

    @property
    @abstractmethod
    def top_speed(self) -> float:
        """[m/s]"""

    @property
    @abstractmethod
    def distance(self) -> float:
        """Length of the path [m]."""


@dataclass
class Record(Track):
    """Of a body that balances: its tilt is nose up positive, its speed forward positive."""

    speeds: list[float] = field(default_factory=list)
    """[m/s]"""
    way: float = 0.0
    """Length of the path so far [m]."""

    def take(self, simulation: Simulation, name: str, body: str) -> None:
        """Looks at the body in the current frame."""
        moving = simulation.robots[name].bodies[body]
        x, y, _ = moving.linear_velocity
        forward, up = moving.rotation[:, 1], moving.rotation[:, 2]
        if self.times:
            self.way += math.hypot(x, y) * (simulation.time - self.times[-1])
        self.times.append(simulation.time)
        self.tilts.append(math.atan2(forward[2], up[2]))
        self.speeds.append(float(x * forward[0] + y * forward[1]) / max(math.hypot(*forward[:2]), 1e-9))

    @property
    def top_speed(self) -> float:
        return max(map(abs, self.speeds))

    @property
    def distance(self) -> float:
        return self.way


@dataclass
class Way(Track):
    """Of a robot's first body, and of the ball if there is one; its tilt is between its up axis and the world's."""

    places: list[Array] = field(default_factory=list)
    """[m]"""
    balls: list[Array] = field(default_factory=list)
    """[m]"""

    def take(self, simulation: Simulation, robot: str) -> None:
        """Looks at the current frame."""
        body = simulation.body(robot)
        self.times.append(simulation.time)
        self.places.append(body.position.copy())
        self.tilts.append(math.acos(min(1.0, float(body.rotation[2, 2]))))
        if "Ball" in simulation.objects:
            self.balls.append(simulation.objects["Ball"].position.copy())

    @property
    def speeds(self) -> Array:
        """Between the looks, level [m/s]."""
        steps = np.diff(np.array(self.places)[:, :2], axis=0)
        return np.asarray(np.hypot(steps[:, 0], steps[:, 1]) / np.diff(self.times))

    @property
    def top_speed(self) -> float:
        return float(self.speeds.max())

    @property
    def distance(self) -> float:
        return float(self.speeds @ np.diff(self.times))
