"""How fast simulated time goes by the clock on the wall: a moving average, and what follows from it."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

WINDOW = 200
"""Updates that are averaged, unless it is said otherwise."""


class SpeedEstimate:
    """Told both times with every update. The speed of one step varies a lot; that of many is good for predictions."""

    def __init__(self, window: int = WINDOW) -> None:
        if window < 1:
            raise ValueError(f"an average is over one update at least, not over {window}")
        self._known: deque[tuple[float, float]] = deque(maxlen=window + 1)
        self._pace: tuple[float, float] | None = None
        self._looked = False

    def update(self, simulated: float, wall: float) -> None:
        """It was `simulated` [s] at `wall` [s]. If simulated time was set back, all begins anew."""
        if self._known and simulated <= self._known[-1][0]:
            self._known.clear()
        self._known.append((simulated, wall))
        self._looked = False

    @property
    def speed(self) -> float:
        """Simulated over real time, over the last updates; 0 as long as nothing is known."""
        return self._over(self._known[0]) if self._known else 0.0

    @property
    def instantaneous(self) -> float:
        """That of the last update alone."""
        return self._over(self._known[-2]) if len(self._known) > 1 else 0.0

    def simulated_at(self, wall: float) -> float:
        """What simulated time is likely to be by now [s], between two updates."""
        if not self._known:
            return 0.0
        simulated, since = self._known[-1]
        return simulated + max(0.0, wall - since) * self.speed

    def duration(self, seconds: float) -> float:
        """How long an interval of simulated time is likely to take from now on [s]; infinite if nothing is known.

        "Now" is the last update. If that came late while the simulation keeps a pace, the interval ends the sooner.
        """
        if self.speed <= 0.0:
            return math.inf
        if not self._looked:
            self._pace, self._looked = self._find_pace(), True
        if self._pace is None:
            return seconds / self.speed
        slope, late = self._pace
        return max(0.0, slope * seconds - late)

    def _find_pace(self) -> tuple[float, float] | None:
        """Real over simulated time, and how late the last update was [s]; None if the simulation does not keep a pace.

        Of one that is paced by a clock, updates scatter about a line; one that goes as fast as it can wanders. What
        scatters has steps that vary more than the distances from the line do. All of it is told by medians: an update
        that a busy machine delivered late, or a row of them, says nothing about the others.
        """
        half = len(self._known) // 2
        if half < 5:
            return None
        simulated, wall = np.array(self._known).T
        slope = float(np.median((wall[-half:] - wall[:half]) / (simulated[-half:] - simulated[:half])))
        late = wall - slope * simulated
        late -= np.median(late)
        return (slope, float(late[-1])) if _spread(late) < _spread(np.diff(late)) else None

    def _over(self, since: tuple[float, float]) -> float:
        simulated, wall = self._known[-1]
        passed = wall - since[1]
        return (simulated - since[0]) / passed if passed > 0.0 else 0.0


def _spread(values: NDArray[np.float64]) -> float:
    """How far they usually are from the one in the middle."""
    return float(np.median(np.abs(values - np.median(values))))
