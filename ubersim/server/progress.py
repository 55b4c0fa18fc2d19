"""Tells now and then how it goes."""

from __future__ import annotations

import time
from collections.abc import Callable

PERIOD = 0.5
"""Real time from one report to the next, at least [s]."""
FRAMES = 64
"""A loop that goes fast looks at the clock once in so many frames."""


class Progress:
    """Calls a function, but not too often."""

    def __init__(self, report: Callable[[], None] | None) -> None:
        self._report = report
        self._next = 0.0

    def frame_done(self, frame: int) -> None:
        """Between two frames."""
        if self._report is not None and frame % FRAMES == 0:
            self.show()

    def show(self) -> None:
        """Reports if it is time to."""
        now = time.monotonic()
        if self._report is not None and now >= self._next:
            self._next = now + PERIOD
            self._report()
