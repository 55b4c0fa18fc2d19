"""How fast a robot is driven that goes as fast as its program lets it."""

from __future__ import annotations

import math
import time

_CAUGHT_UP = 0.5
"""What is lost of simulated time beyond this, while it stood still or was put elsewhere, is not caught up [s]."""


class DrivingPace:
    """`rate` times real time; 0: as fast as it goes."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._begun = -math.inf

    def ahead(self, simulated: float) -> float:
        """How long to sleep before the frame of this simulated time is answered [s]."""
        if not self._rate:
            return 0.0
        now = time.perf_counter()
        ahead = simulated - (now - self._begun) * self._rate
        if abs(ahead) > _CAUGHT_UP:
            self._begun, ahead = now - simulated / self._rate, 0.0
        return max(0.0, ahead / self._rate)
