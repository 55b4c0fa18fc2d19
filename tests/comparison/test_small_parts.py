"""Differences of texts and of runs where there is hardly anything to compare."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from ubersim.comparison.command_timing import Timing, _both_now
from ubersim.comparison.diagnosis import _first_unequal
from ubersim.comparison.error_table import _errors
from ubersim.comparison.frames import DeliveredReading
from ubersim.comparison.growth import Growth, _apart
from ubersim.comparison.premises import first_change
from ubersim.errors import UberSimError
from ubersim.signals import Signal


def test_the_first_line_that_differs() -> None:
    assert first_change("a\nb\n", "a\nc\n") == "line 2, `b` and `c`"
    assert first_change("a\n", "a\nb\n") == "line 2, nothing and `b`"
    assert first_change("a\n", "a\r\n") == "line ends, or comments"


def test_what_changes_nothing_is_not_the_first_line_that_differs() -> None:
    """A program that replaces its robot's latency sends the document without what stands before its root."""
    document = '<?xml version="1.0"?>\n<!-- a\n     robot -->\n<Client>\n\n  <Latency>10</Latency>\n</Client>\n'
    sent = "<Client>\n  <Latency>30</Latency><!-- late -->\n</Client>"
    assert first_change(document, sent) == "line 6, `<Latency>10</Latency>` and `<Latency>30</Latency>`"


def test_growth_is_measured_where_there_is_enough_of_it() -> None:
    times = np.linspace(0.0, 10.0, 101)
    assert Growth(times, {}, {}).largest.tolist() == [0.0] * 101
    apart = {("R", "B"): 1e-9 * np.exp(1.5 * times)}
    assert Growth(times, apart, {}).rate() == pytest.approx(1.5)
    assert math.isnan(Growth(times[:3], {("R", "B"): 1e-8 * np.ones(3)}, {}).rate())


def reading(robot: str, sensor: str, payload: bytes = b"") -> DeliveredReading:
    return DeliveredReading(robot, sensor, payload)


def test_the_first_reading_that_only_one_run_has() -> None:
    tilt, speed = reading("A", "Tilt"), reading("A", "Speed")
    assert _first_unequal([tilt, speed], [speed]) == (tilt, None)
    assert _first_unequal([speed], [tilt, speed]) == (None, tilt)
    assert _first_unequal([tilt], [tilt, speed]) == (None, speed)


def test_one_run_may_be_a_command_ahead() -> None:
    found = _both_now([(5, 1.0), (5, 2.0)], [(5, 2.0)])
    assert found == Timing(False, "= 1.0 is missing in the second run")
    assert _both_now([(5, 2.0)], [(5, 1.0), (5, 2.0)]) == Timing(False, "= 1.0 is missing in the first run")
    assert _both_now([(5, 1.0)], [(5, 2.0)]) == Timing(True, "= 1.0 in the first run, 2.0 in the second")


def test_what_is_in_one_run_only_is_no_distance_apart() -> None:
    state = np.zeros(13)
    here, there = SimpleNamespace(states={("A", "Base"): state}), SimpleNamespace(states={})
    assert np.isnan(_apart(here, there, [("A", "Base")])).all()  # type: ignore[arg-type]


def test_logs_that_do_not_overlap() -> None:
    early, late = (Signal.of("y", begin + np.arange(9.0), np.arange(9.0), np.full(9, np.nan)) for begin in (0.0, 100.0))
    with pytest.raises(UberSimError, match="y: the two logs do not overlap in time"):
        _errors("y", early, late)
