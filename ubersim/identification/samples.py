"""Delays as a log shows them: between two bounds each, for nothing is looked at all the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ubersim.signals.signal import Array

_GRIDS = (0.05, 0.02, 0.01, 0.005, 0.004, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
_EXACT = 2e-6
"""Times closer than that are the same [s]."""


@dataclass(frozen=True)
class DelaySamples:
    """Each delay lies above `low` and at or below `high` [s]."""

    times: Array
    """When they began [s]."""
    low: Array
    high: Array
    error: float
    """Standard deviation of what noise does to the bounds [s]."""
    expected: int
    """How many there would be if nothing were lost."""
    lost: int

    def __len__(self) -> int:
        return len(self.times)

    @property
    def middles(self) -> Array:
        """Of those that have two bounds, the middle; of the others, the upper bound."""
        return np.where(np.isfinite(self.low), (self.low + self.high) / 2, self.high)


def grid_of(times: Array) -> float:
    """The raster that all times lie on [s], as those of a simulation do; 0 if there is none."""
    for grid in _GRIDS:
        if (np.abs(times / grid - np.rint(times / grid)) * grid < _EXACT).all():
            return grid
    return 0.0
