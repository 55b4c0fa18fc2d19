"""Wall-clock time: how fast the simulation may go, and how fast it goes."""

from __future__ import annotations

import time

_CAUGHT_UP = 0.5
"""As much of what it is late it catches up; what is more is lost, or it would race after a client's breakpoint [s]."""


class RealTime:
    """Holds the simulation back to `rate` times real time; 0: never. Time in which it stands still does not count."""

    def __init__(self, rate: float, step: float) -> None:
        self.rate = rate
        self._step = step
        self._frames = self._shown_frames = 0
        self._start = self._shown = time.perf_counter()
        self._idle_since: float | None = self._start
        self._changed = 0, 0.0  # frames and seconds that lie before the last change of the rate, or are lost

    def change_rate(self, rate: float) -> None:
        """Holds it back to another rate from now on."""
        self.rate = rate
        self._changed = self._frames, self.elapsed()

    def pause(self) -> None:
        """Does not count what passes until `resume`: there is nothing to simulate."""
        if self._idle_since is None:
            self._idle_since = time.perf_counter()

    def resume(self) -> None:
        """Counts again."""
        if self._idle_since is not None:
            self._start += time.perf_counter() - self._idle_since
            self._idle_since = None

    def frame_begins(self, count: int = 1) -> None:
        """Counts a frame, or several."""
        if self._idle_since is not None:
            self.resume()
        self._frames += count

    def ahead(self) -> float:
        """How long the simulation should sleep now [s]."""
        if not self.rate:
            return 0.0
        frames, seconds = self._changed
        ahead = (self._frames - frames) * self._step / self.rate - (self.elapsed() - seconds)
        if ahead < -_CAUGHT_UP:
            ahead = -_CAUGHT_UP
            self._changed = self._frames, self.elapsed() + ahead
        return ahead

    def elapsed(self) -> float:
        """For how long it has been simulating [s]."""
        return (self._idle_since or time.perf_counter()) - self._start

    def factor(self) -> float:
        """Simulated over real time since the last call."""
        now = time.perf_counter()
        factor = (self._frames - self._shown_frames) * self._step / max(now - self._shown, 1e-9)
        self._shown, self._shown_frames = now, self._frames
        return factor
