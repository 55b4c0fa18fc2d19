"""Wall-clock time: how fast the simulation may go, and how fast it goes."""

from __future__ import annotations

import time


class Pace:
    """Holds the simulation back to `rate` times real time; 0: never."""

    def __init__(self, rate: float, step: float) -> None:
        self.rate = rate
        self._step = step
        self._start = self._last = time.perf_counter()
        self._frames = self._last_frames = 0

    def restart(self) -> None:
        """The simulation stood still until now; that time is not to be made up for."""
        self._start = time.perf_counter() - self._due()

    def frame_done(self) -> None:
        """Counts a frame."""
        self._frames += 1

    def ahead(self) -> float:
        """How long the simulation should sleep now [s]."""
        if not self.rate:
            return 0.0
        return self._start + self._due() - time.perf_counter()

    def factor(self) -> float:
        """Simulated over real time since the last call."""
        now = time.perf_counter()
        factor = (self._frames - self._last_frames) * self._step / max(now - self._last, 1e-9)
        self._last, self._last_frames = now, self._frames
        return factor

    def _due(self) -> float:
        return self._frames * self._step / self.rate if self.rate else 0.0
