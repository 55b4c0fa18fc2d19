"""What a latency model of somebody else's need not say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from numpy.random import Generator

from ubersim.timing.latency import LONGEST_MS, LatencyModel
from ubersim.timing.speed import SpeedEstimate


@dataclass(frozen=True, kw_only=True)
class Sawtooth(LatencyModel):
    """Counts up to a height."""

    kind: ClassVar[str] = "sawtooth"
    height: float = 3.0

    @property
    def minimum(self) -> float:
        return 0.0

    def draw(self, rng: Generator, memory: dict[str, Any]) -> float:
        memory["count"] = (memory.get("count", -1.0) + 1.0) % self.height
        return float(memory["count"])


def test_average_and_longest_are_unknown_and_words_are_its_numbers() -> None:
    model = Sawtooth(loss=0.05)
    assert math.isnan(model.average) and model.longest == LONGEST_MS
    assert str(model) == "sawtooth, height 3, loses 5 %"
    with pytest.raises(ValueError, match="cannot drift"):
        Sawtooth(order="drift")


def test_before_the_first_frame_no_time_is_known() -> None:
    assert SpeedEstimate().simulated_at(5.0) == 0.0
