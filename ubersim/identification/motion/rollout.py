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
"""Velocity, command and last change -> velocity after a period, and its mean during the period, (models, n, 3) each."""


@dataclass(frozen=True)
class RolloutError:
    """Root mean square over all starts."""

    place: float
    """[m]"""
    heading: float
    """[rad]"""

    def __str__(self) -> str:
        return f"{100 * self.place:.2f} cm, {np.degrees(self.heading):.2f}°"


def rollout_errors(model: Model, record: MotionRecord, models: int) -> list[RolloutError]:
    """How far a second's predictions are off, from starts all along a log, by each of so many models."""
    ahead, every = round(AHEAD / record.period), max(1, round(_EVERY / record.period))
    starts = np.arange(1, len(record) - ahead, every)
    each = (models, len(starts), 3)
    now = np.broadcast_to(record.velocities[starts], each)
    last = np.broadcast_to(record.velocities[starts] - record.velocities[starts - 1], each)
    x, y, heading = (np.broadcast_to(column, each[:2]) for column in record.poses[starts].T)
    for step in range(ahead):
        after, mean = model(now, np.broadcast_to(record.commands[starts + step], each), last)
        middle = heading + mean[..., 2] * record.period / 2
        cosine, sine = np.cos(middle), np.sin(middle)
        x = x + record.period * (cosine * mean[..., 0] - sine * mean[..., 1])
        y = y + record.period * (sine * mean[..., 0] + cosine * mean[..., 1])
        heading = heading + record.period * mean[..., 2]
        now, last = after, after - now
    goal = record.poses[starts + ahead]
    place = np.hypot(x - goal[:, 0], y - goal[:, 1])
    turn = (heading - goal[:, 2] + np.pi) % (2 * np.pi) - np.pi
    squares = (place**2).mean(axis=1), (turn**2).mean(axis=1)
    return [RolloutError(float(a), float(b)) for a, b in zip(*np.sqrt(squares), strict=True)]


def linear_acceleration(accelerations: Array, turn_accelerations: Array, period: float) -> Model:
    """The model of `DifferentialDrive` and `HolonomicDrive`: straight to what is told, with a bounded change."""
    most, most_turn = accelerations[:, None] * period, turn_accelerations[:, None] * period

    def model(now: Array, command: Array, last: Array) -> tuple[Array, Array]:
        gap = command - now
        planar = np.maximum(np.hypot(gap[..., 0], gap[..., 1]), 1e-12) / most
        turning = np.maximum(np.abs(gap[..., 2]), 1e-12) / most_turn
        times = np.stack([planar, planar, turning], axis=-1)
        """Periods that the way to the command takes."""
        after = np.where(times <= 1.0, command, now + gap / times)
        mean = np.where(times <= 1.0, command - gap * times / 2, now + gap / (2 * times))
        return after, mean

    return model
