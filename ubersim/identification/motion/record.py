"""What a log says of a robot's motion: where it was, how fast, and what it was told, at even times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.signals import Signal

SHORTEST = 20.0
"""A log has to tell of so much time [s]."""
_PARTS = 20
"""Instants per period at which commands are looked at: they change in between, and their mean counts."""


@dataclass(frozen=True)
class MotionRecord:
    """Times are k · period from the beginning. Axes: to the right, forward, turning to the left."""

    period: float
    """[s]"""
    poses: Array
    """x, y [m] and heading [rad, over any number of turns] at each time, (n + 1, 3)."""
    velocities: Array
    """In the robot's own axes [m/s, rad/s] at each time, (n + 1, 3)."""
    commands: Array
    """The mean of what it was told from each time to the next, (n, 3)."""

    def __len__(self) -> int:
        return len(self.commands)

    def part(self, begin: float, end: float) -> MotionRecord:
        """From one share of the log to another."""
        first, last = round(begin * len(self)), round(end * len(self))
        return MotionRecord(
            self.period, self.poses[first : last + 1], self.velocities[first : last + 1], self.commands[first:last]
        )

    @staticmethod
    def of(
        place: Sequence[Signal], commands: Sequence[Signal | None], period: float, velocity: Sequence[Signal] = ()
    ) -> MotionRecord:
        """`place` is x, y and heading; `commands` to the right, forward and turning, None: never told.

        `velocity`, in the world's axes, is worked out from the places where it is not known.
        """
        begin, end = max(signal.captured[0] for signal in place), min(signal.captured[-1] for signal in place)
        count = int((end - begin) / period) - 1
        if not 0.001 <= period <= 1.0 or count * period < SHORTEST:
            raise UberSimError(
                f"the log tells of {max(0.0, end - begin):.1f} s of motion; learning takes {SHORTEST:g} s at least, "
                "in periods of 1 to 1000 ms"
            )
        times = begin + period * np.arange(count + 1)
        x, y, heading = place
        turned = Signal(heading.name, heading.times, np.unwrap(heading.values), heading.stamps)
        poses = np.stack([x.at(times), y.at(times), turned.at(times)], axis=1)
        if velocity:
            world = np.stack([signal.at(times) for signal in velocity], axis=1)
        else:
            world = np.gradient(poses, period, axis=0)
        fine = times[:-1, None] + period * (np.arange(_PARTS) + 0.5) / _PARTS
        told = [np.zeros(count) if one is None else _held(one, fine).mean(axis=1) for one in commands]
        return MotionRecord(period, poses, own_axes(world, poses[:, 2]), np.stack(told, axis=1))


def _held(command: Signal, times: Array) -> Array:
    """What was told last at each time; nothing before the first command."""
    return np.where(times < command.times[0], 0.0, command.at(times, hold=True))


def own_axes(world: Array, heading: Array) -> Array:
    """Velocities in the world's axes as the robot has them: to the right, forward, turning."""
    cosine, sine = np.cos(heading), np.sin(heading)
    vx, vy, turn = world.T
    return np.stack([cosine * vx + sine * vy, cosine * vy - sine * vx, turn], axis=1)


def headings_of(quaternions: Array) -> Array:
    """About +z, from the world's +y to the left [rad], of quaternions with w first, (n, 4)."""
    w, x, y, z = quaternions.T
    headings: Array = np.arctan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))
    return headings
