"""A delay with a bell curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.random import Generator

from ubersim.timing.latency import LatencyModel, check_range


@dataclass(frozen=True)
class Normal(LatencyModel):
    """A bell curve, cut off below: what would be faster than the floor takes as long as the floor."""

    kind: ClassVar[str] = "normal"

    mean: float
    """Centre of the curve [ms]."""
    sigma: float
    """Its standard deviation [ms]."""
    min: float = 0.0
    """The floor [ms]."""

    @property
    def minimum(self) -> float:
        return self.mean if self.sigma == 0.0 and self.mean > self.min else self.min

    @property
    def longest(self) -> float:
        return max(self.min, self.mean + 6 * self.sigma)

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        return max(self.min, rng.normal(self.mean, self.sigma))

    def check(self) -> None:
        check_range("mean latency", self.mean)
        check_range("sigma of the latency", self.sigma)
        check_range("smallest latency", self.min)
