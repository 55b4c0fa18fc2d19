"""A small network that says how a robot's velocity changes in a moment, learned from how one really did."""

from __future__ import annotations

import math
from collections.abc import Sequence

INPUTS = 9
"""Velocity now, velocity commanded, and the last change of velocity: each to the right, forward and turning."""
LINEAR = 3 * INPUTS
"""Numbers of the linear part: for each of the three changes a weight of every input."""
UNIT = INPUTS + 4
"""Numbers of a hidden unit: weights of the inputs, bias, and what it adds to each of the three changes."""
MOST_UNITS = 128

Motion = tuple[float, float, float]
"""To the right and forward [m/s], turning to the left [rad/s]."""


def unit_count(numbers: int) -> int | None:
    """How many hidden units so many numbers describe; None if that is no network."""
    units, rest = divmod(numbers - LINEAR, UNIT)
    return units if rest == 0 and 0 <= units <= MOST_UNITS else None


class MotionNetwork:
    """change = linear · x + Σ output · (tanh(weights · x + bias) - tanh(bias)); so what rests, and is told to, rests.

    Sums are in a fixed order, in Python's own floating point: the same bits on any processor.
    """

    def __init__(self, numbers: Sequence[float]) -> None:
        """The linear part, then the hidden units one by one."""
        self._rows = [numbers[start : start + INPUTS] for start in range(0, LINEAR, INPUTS)]
        units = [numbers[start : start + UNIT] for start in range(LINEAR, len(numbers), UNIT)]
        self._units = [(unit[:INPUTS], unit[INPUTS], math.tanh(unit[INPUTS]), unit[INPUTS + 1 :]) for unit in units]

    def change(self, now: Motion, command: Motion, last: Motion) -> Motion:
        """Of the velocity, during the time that one evaluation is for."""
        x = (*now, *command, *last)
        right, forward, turn = (_dot(row, x) for row in self._rows)
        for weights, bias, at_rest, (a, b, c) in self._units:
            value = math.tanh(_dot(weights, x) + bias) - at_rest
            right, forward, turn = right + a * value, forward + b * value, turn + c * value
        return right, forward, turn


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    total = 0.0
    for a, b in zip(left, right, strict=True):
        total += a * b
    return total
