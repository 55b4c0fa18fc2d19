"""Tells now and then how it goes."""

from __future__ import annotations

import time
from collections.abc import Callable

PERIOD = 0.5
"""Real time from one report to the next, at least [s]."""
LOOK_EVERY = 64
"""Frames after which a loop that goes fast looks at the clock."""


class Progress:
    """Calls a function, but not too often."""

    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._next = 0.0

    def show(self) -> None:
        """Reports if it is time to."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + PERIOD
            self._report()
