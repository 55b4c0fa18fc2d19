"""A delay with a bell curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.random import Generator

from ubersim.timing.latency import FALL, LatencyModel, check_range

_LONG = 100.0
"""A fall after which nothing is remembered [sigma]; one takes 2.5 on average."""


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
    def average(self) -> float:
        return max(self.mean, self.min)  # but for what the floor cuts off

    @property
    def longest(self) -> float:
        return max(self.min, self.mean + 6 * self.sigma)

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        return max(self.min, rng.normal(self.mean, self.sigma))

    def words(self) -> str:
        floor = f", at least {self.min:g} ms" if self.min else ""
        return f"normal, {self.mean:g} ± {self.sigma:g} ms{floor}"

    def drift(self, rng: Generator, memory: dict[str, Any], elapsed: float) -> float:
        """Falls steadily from a random top to a random bottom, then jumps to another top.

        How many falls pass through a delay has to be in proportion to how likely that is: as many begin above the mean,
        and end below it, as the slope of the bell curve says. So both are away from the mean as Rayleigh has it.
        """
        fall = elapsed * FALL / self.sigma if self.sigma > 0.0 else math.inf  # in sigmas, as the memory is
        if "at" not in memory or fall > _LONG:
            memory["at"] = rng.standard_normal()
            memory["bottom"] = -math.hypot(min(memory["at"], 0.0), rng.rayleigh())
        else:
            while fall > memory["at"] - memory["bottom"]:
                fall -= memory["at"] - memory["bottom"]
                memory["at"], memory["bottom"] = rng.rayleigh(), -rng.rayleigh()
            memory["at"] -= fall
        return max(self.min, self.mean + self.sigma * float(memory["at"]))

    def check(self) -> None:
        check_range("mean latency", self.mean)
        check_range("sigma of the latency", self.sigma)
        check_range("smallest latency", self.min)
