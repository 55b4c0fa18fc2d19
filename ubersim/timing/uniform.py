"""A delay between two bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.random import Generator

from ubersim.timing.latency import LatencyModel, check_range


@dataclass(frozen=True)
class Uniform(LatencyModel):
    """Any delay between two bounds is as likely as any other."""

    kind: ClassVar[str] = "uniform"

    min: float
    """The smallest delay [ms]."""
    max: float
    """The largest delay [ms]."""

    @property
    def minimum(self) -> float:
        return self.min

    @property
    def longest(self) -> float:
        return self.max

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        # min + (max - min) * u may round to just below min.
        return max(self.min, rng.uniform(self.min, self.max))

    def check(self) -> None:
        check_range("smallest latency", self.min)
        check_range("largest latency", self.max)
        if self.max < self.min:
            raise ValueError(f"Max {self.max:g} is below Min {self.min:g}")
