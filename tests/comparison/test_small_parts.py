"""Differences of texts and of runs where there is hardly anything to compare."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ubersim.comparison.growth import Growth
from ubersim.comparison.premises import first_change


def test_the_first_line_that_differs() -> None:
    assert first_change("a\nb\n", "a\nc\n") == "line 2, `b` and `c`"
    assert first_change("a\n", "a\nb\n") == "line 2, nothing and `b`"
    assert first_change("a\n", "a\r\n") == "line ends"


def test_growth_is_measured_where_there_is_enough_of_it() -> None:
    times = np.linspace(0.0, 10.0, 101)
    assert Growth(times, {}, {}).largest.tolist() == [0.0] * 101
    apart = {("R", "B"): 1e-9 * np.exp(1.5 * times)}
    assert Growth(times, apart, {}).rate() == pytest.approx(1.5)
    assert math.isnan(Growth(times[:3], {("R", "B"): 1e-8 * np.ones(3)}, {}).rate())
