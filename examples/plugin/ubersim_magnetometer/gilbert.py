"""A channel that is good or bad for a while: delays that come in bursts, after E. N. Gilbert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.random import Generator

from ubersim.description.fields import number
from ubersim.timing.latency import LatencyModel, check_range


@dataclass(frozen=True)
class Gilbert(LatencyModel):
    """Two states, each with its own delay; with every item the channel may change from one to the other."""

    kind: ClassVar[str] = "gilbert"

    good: float
    """The delay while the channel is good [ms]."""
    bad: float
    """The delay while it is bad [ms]."""
    fall: float = number("probability of turning bad", low=0, high=1, default=0.01)
    rise: float = number("probability of turning good again", low=0, high=1, default=0.1)

    @property
    def minimum(self) -> float:
        return min(self.good, self.bad)

    @property
    def longest(self) -> float:
        return max(self.good, self.bad)

    def check(self) -> None:
        check_range("latency of a good channel", self.good)
        check_range("latency of a bad channel", self.bad)

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        bad = memory.get("bad", False)
        if rng.random() < (self.rise if bad else self.fall):
            bad = memory["bad"] = not bad
        return self.bad if bad else self.good
