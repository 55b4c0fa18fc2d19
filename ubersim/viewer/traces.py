"""Numbers over time, each with times of its own: what a graph draws, and what its table has."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.quantity import Quantities

Array = NDArray[np.float64]
SPAN = 10.0
"""What is kept [s of simulated time]."""
MOST_SAMPLES = 4000
"""Of one trace."""
MOST_DRAWN = 1500
"""Points of a graph; of more, some are left out in between."""
_DIGITS = 6
"""After the point: what is less than that is no movement."""
_EDGE = 1e-6
"""How steep steps are [s]."""


class Traces:
    """A trace of each quantity. One that holds its value until the next, as a command does, goes in steps."""

    def __init__(self, quantities: Quantities, steps: frozenset[int] = frozenset()) -> None:
        self.quantities = quantities
        self.steps = steps
        """Which of them go in steps."""
        self._samples: list[deque[tuple[float, float]]] = [deque(maxlen=MOST_SAMPLES) for _ in quantities]
        self.now = -np.inf
        """The newest instant [s]."""

    def at(self, time: float) -> None:
        """Time has come here; if it ran back, all starts anew."""
        if time < self.now:
            for samples in self._samples:
                samples.clear()
        self.now = time
        for samples in self._samples:
            while len(samples) > 1 and samples[1][0] < time - SPAN:
                samples.popleft()

    def add(self, place: int, time: float, value: float) -> None:
        """One more sample of one of them; what is not newer than its last one is known already."""
        samples = self._samples[place]
        if samples and time <= samples[-1][0]:
            if time == samples[-1][0]:
                samples[-1] = time, value
            return
        samples.append((time, value))

    def is_empty(self, place: int) -> bool:
        """Whether there is no sample of it yet."""
        return not self._samples[place]

    def drawn(self, places: Sequence[int]) -> tuple[Array, ...]:
        """Common times, and the values of some of the quantities at those."""
        tables = [np.array(self._samples[place], dtype=float).reshape(-1, 2) for place in places]
        times = [table[:, 0] for table in tables]
        times += [table[:, 0] - _EDGE for table, place in zip(tables, places, strict=True) if place in self.steps]
        grid = np.unique(np.concatenate([*times, [self.now] if np.isfinite(self.now) else []]))
        if len(grid):
            grid = grid[grid >= grid[-1] - SPAN]
        if len(grid) > MOST_DRAWN:
            grid = grid[np.linspace(0, len(grid) - 1, MOST_DRAWN).astype(int)]
        values = (self._values(table, place, grid) for table, place in zip(tables, places, strict=True))
        return grid, *(value.round(_DIGITS) for value in values)

    def _values(self, table: Array, place: int, grid: Array) -> Array:
        if not len(table):
            return np.zeros(len(grid))
        if place in self.steps:
            held: Array = table[np.maximum(np.searchsorted(table[:, 0], grid, "right") - 1, 0), 1]
            return held
        between: Array = np.interp(grid, table[:, 0], table[:, 1])
        return between

    def table(self) -> str:
        """As CSV: time, then all quantities."""
        columns = self.drawn(range(len(self.quantities)))
        head = ",".join(['"time [s]"', *(f'"{quantity}"' for quantity in self.quantities)])
        return "\n".join([head, *(",".join(f"{value:.9g}" for value in row) for row in zip(*columns, strict=True)), ""])
