"""What is measured of a run, against what can be computed; what is no metric is refused."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ubersim.errors import UberSimError
from ubersim.sweeps.metrics import _plain, distance, fell, fell_at, rms, settled, swing, time_to_goal
from ubersim.sweeps.sources import find


def history() -> Any:
    """One metre a second along y for ten seconds, while its tilt fades from 60 degrees; a sensor swings by 1."""
    times = np.linspace(0.0, 10.0, 101)
    positions = np.stack([0 * times, times, 0 * times], axis=1)
    swings = np.stack([times, np.sin(2 * np.pi * times)], axis=1)[:-1]
    tilts = 60 * np.exp(-times)

    def readings(sensor: str) -> Any:
        return swings if sensor == "Tilt" else swings[:0]

    return SimpleNamespace(times=times, positions=positions, tilts=tilts, readings=readings)


def test_metrics_are_what_they_say() -> None:
    run = history()
    assert fell(run) and not fell(run, 61.0)
    assert fell_at(run) == 0.0 and math.isnan(fell_at(run, 61.0))
    assert settled(run) == pytest.approx(math.log(60), abs=0.11)
    assert settled(run, 61.0) == 0.0
    assert rms(run, "Tilt") == pytest.approx(0.5**0.5) and math.isnan(rms(run, "Nothing"))
    assert swing(run, 1.0) == pytest.approx(60 * (math.exp(-9) - math.exp(-10)))
    assert distance(run) == 10.0
    assert time_to_goal(run, (0.0, 7.0, 0.55)) == pytest.approx(6.5)
    assert math.isnan(time_to_goal(run, (5.0, 0.0, 1.0)))


def test_a_metric_is_a_number_or_a_truth_value() -> None:
    assert _plain(np.float64(2)) == 2.0 and _plain(np.bool_(True)) is True
    with pytest.raises(UberSimError, match="a metric is a number or a truth value, not 'far'"):
        _plain("far")
    with pytest.raises(UberSimError, match=r"is neither MODULE:FUNCTION nor FILE\.py:FUNCTION"):
        find("speed", {})
