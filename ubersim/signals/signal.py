"""A quantity over time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Signal:
    """Samples of one number, in order of time."""

    name: str
    times: Array
    """When a sample was noted: a command when it was sent, a reading when it was received [s]."""
    values: Array
    stamps: Array | None = None
    """When a reading was captured, where the file tells [s]."""

    @staticmethod
    def of(name: str, times: Array, values: Array, stamps: Array | None = None) -> Signal:
        """Sorts, and leaves out what is not a number."""
        kept = np.isfinite(times) & np.isfinite(values)
        order = np.argsort(times[kept], kind="stable")
        if not len(order):
            raise UberSimError(f"{name} has no samples that are numbers")
        known = None if stamps is None or not np.isfinite(stamps[kept]).all() else stamps[kept][order]
        return Signal(name, times[kept][order], values[kept][order], known)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def period(self) -> float:
        """Typical time between two samples [s]."""
        gaps = np.diff(self.captured)
        gaps = gaps[gaps > 0]
        return float(np.median(gaps)) if len(gaps) else 0.0

    @property
    def captured(self) -> Array:
        """When the samples were taken, as far as is known [s]."""
        return self.times if self.stamps is None else self.stamps

    def shifted(self, seconds: float) -> Signal:
        """The same, that much later."""
        stamps = None if self.stamps is None else self.stamps + seconds
        return replace(self, times=self.times + seconds, stamps=stamps)

    def at(self, times: Array, *, hold: bool = False) -> Array:
        """Values at other times: of a command that holds until the next one, or interpolated."""
        if hold:
            places = np.searchsorted(self.times, times, "right") - 1
            held: Array = self.values[np.clip(places, 0, None)]
            return held
        return np.interp(times, self.captured, self.values)
