"""A delay between two bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.random import Generator

from ubersim.timing.latency import FALL, LatencyModel, check_range


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
    def average(self) -> float:
        return (self.min + self.max) / 2

    @property
    def longest(self) -> float:
        return self.max

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        # min + (max - min) * u may round to just below min.
        return max(self.min, rng.uniform(self.min, self.max))

    def words(self) -> str:
        return f"uniform, {self.min:g} to {self.max:g} ms"

    def drift(self, rng: Generator, memory: dict[str, Any], elapsed: float) -> float:
        """The largest delay at random instants, from which it falls towards the smallest as heat is lost.

        At any instant the time since the last of them is exponentially distributed, so that exp(-time) is uniform.
        """
        width = self.max - self.min
        if "above" not in memory:
            memory["above"] = width * rng.random()
        elif width > 0.0 and elapsed > 0.0:
            age, passed = rng.standard_exponential(), elapsed * FALL / width
            memory["above"] = width * math.exp(-age) if age < passed else memory["above"] * math.exp(-passed)
        return self.min + float(memory["above"])

    def check(self) -> None:
        check_range("smallest latency", self.min)
        check_range("largest latency", self.max)
        if self.max < self.min:
            raise ValueError(f"Max {self.max:g} is below Min {self.min:g}")
