"""Some columns of numbers over time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.quantity import Quantities

MOST_COLUMNS = 1024
"""What is wider is no table."""


@dataclass(frozen=True)
class Table:
    """Some rows of a topic."""

    topic: str
    quantities: Quantities
    """What its columns are."""
    frames: NDArray[np.int64]
    """As the log counts frames."""
    values: NDArray[np.float64]
    """Shape (frames, columns)."""
    holds: bool = False
    """Whether a value holds until the next, as those of commands do."""
    stamps: NDArray[np.float64] | None = None
    """When readings were captured [s], of sensors that say so."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(each.name for each in self.quantities)

    def between(self, first: int, last: int) -> Table:
        """The rows of these frames."""
        rows = (self.frames >= first) & (self.frames <= last)
        stamps = None if self.stamps is None else self.stamps[rows]
        return replace(self, frames=self.frames[rows], values=self.values[rows], stamps=stamps)

    def lasting(self, first: int, last: int) -> Table:
        """The same with what holds from the first frame on and up to the last, if its values hold."""
        if not self.holds or first > last:
            return self.between(first, last)
        before = self.frames[self.frames < first][-1:]
        rows = np.flatnonzero(np.isin(self.frames, before) | ((self.frames >= first) & (self.frames <= last)))
        if not len(rows):
            return self.between(first, last)
        frames = np.maximum(self.frames[rows], first)
        stamps = None if self.stamps is None else self.stamps[[*rows, rows[-1]]]
        values = self.values[[*rows, rows[-1]]]
        return replace(self, frames=np.append(frames, max(last, frames[-1])), values=values, stamps=stamps)

    def of_unit(self, unit: str) -> Table:
        """The columns of one unit."""
        found = [place for place, each in enumerate(self.quantities) if each.unit == unit]
        return self.part(found)

    def part(self, columns: list[int]) -> Table:
        """Some of the columns."""
        chosen = tuple(self.quantities[place] for place in columns)
        return replace(self, quantities=chosen, values=self.values[:, columns])
