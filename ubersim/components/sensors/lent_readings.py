"""A sensor's channel on loan: what the native lane needs to sample it itself, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ubersim.components.sensors.surroundings import Pending

Entry = tuple[int, int, bytes | Pending]
"""A reading under way: the frame in which it is delivered, the one in which it was captured, its bytes."""


@dataclass(frozen=True)
class LentReadings:
    """A channel with a constant latency."""

    under_way: list[Entry]
    next_sample: int
    minimum: int
    """Frames that every reading takes."""
    keeps_order: bool
    latest_arrival: int

    def unchanged(self) -> ReturnedReadings:
        """Nothing has become of it."""
        return ReturnedReadings(len(self.under_way), 0, [], self.latest_arrival, self.next_sample, None, -1)


@dataclass(frozen=True)
class ReturnedReadings:
    """What has become of it."""

    left: int
    """Of those that were lent, the last so many are still under way."""
    pushed: int
    """How many were captured meanwhile."""
    new: Sequence[Entry]
    """Those of them that are still under way."""
    latest_arrival: int
    next_sample: int
    latest: bytes | None
    """The newest that was delivered; None: none was."""
    latest_frame: int
    """The frame in which that was captured."""
