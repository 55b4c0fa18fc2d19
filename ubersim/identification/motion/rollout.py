"""A second ahead: where a model of motion takes a robot that starts as in the log and is told what the log says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ubersim.geometry import Array
from ubersim.identification.motion.record import MotionRecord

AHEAD = 1.0
"""How far is looked [s]."""
_EVERY = 0.1
"""Time from one start to the next [s]."""

Model = Callable[[Array, Array, Array], tuple[Array, Array]]
"""Velocity, command and last change, (n, 3) each -> velocity after a period, and its mean during the period."""


@dataclass(frozen=True)
class RolloutError:
    """Root mean square over all starts."""

    place: float
    """[m]"""
    heading: float
    """[rad]"""

    def __str__(self) -> str:
        return f"{100 * self.place:.2f} cm, {np.degrees(self.heading):.2f}°"


def rollout_error(model: Model, record: MotionRecord) -> RolloutError:
    """How far a second's predictions are off, from starts all along a log."""
    ahead, every = round(AHEAD / record.period), max(1, round(_EVERY / record.period))
    starts = np.arange(1, len(record) - ahead, every)
    now, last = record.velocities[starts], record.velocities[starts] - record.velocities[starts - 1]
    x, y, heading = record.poses[starts].T
    for step in range(ahead):
        after, mean = model(now, record.commands[starts + step], last)
        middle = heading + mean[:, 2] * record.period / 2
        cosine, sine = np.cos(middle), np.sin(middle)
        x = x + record.period * (cosine * mean[:, 0] - sine * mean[:, 1])
        y = y + record.period * (sine * mean[:, 0] + cosine * mean[:, 1])
        heading = heading + record.period * mean[:, 2]
        now, last = after, after - now
    goal = record.poses[starts + ahead]
    place = np.hypot(x - goal[:, 0], y - goal[:, 1])
    turn = (heading - goal[:, 2] + np.pi) % (2 * np.pi) - np.pi
    return RolloutError(float(np.sqrt((place**2).mean())), float(np.sqrt((turn**2).mean())))


def linear_acceleration(acceleration: float, turn_acceleration: float, period: float) -> Model:
    """The model of `DifferentialDrive` and `HolonomicDrive`: straight to what is told, with a bounded change."""

    def model(now: Array, command: Array, last: Array) -> tuple[Array, Array]:
        gap = command - now
        planar = np.maximum(np.hypot(gap[:, 0], gap[:, 1]), 1e-12) / (acceleration * period)
        turning = np.maximum(np.abs(gap[:, 2]), 1e-12) / (turn_acceleration * period)
        times = np.stack([planar, planar, turning], axis=1)
        """Periods that the way to the command takes."""
        after = np.where(times <= 1.0, command, now + gap / times)
        mean = np.where(times <= 1.0, command - gap * times / 2, now + gap / (2 * times))
        return after, mean

    return model
