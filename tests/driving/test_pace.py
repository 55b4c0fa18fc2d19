"""A drive beside a clock: how long it waits before it answers a frame."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ubersim.driving import pace
from ubersim.driving.pace import DrivingPace


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Shows what is set [s]."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(pace, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


@pytest.mark.parametrize("rate", [0.001, 0.5, 1.0, 4.0])
def test_it_waits_for_its_time_and_catches_up_a_little(clock: SimpleNamespace, rate: float) -> None:
    drive = DrivingPace(rate)
    assert drive.ahead(7.0) == 0.0, "it begins with whatever frame it joins in"
    assert drive.ahead(7.1) == pytest.approx(0.1 / rate)
    clock.now += 0.4 / rate
    assert drive.ahead(7.1) == 0.0
    assert drive.ahead(7.5) == pytest.approx(0.1 / rate)


@pytest.mark.parametrize("then", [7.1, 0.0, 90.0])
def test_it_does_not_race_after_a_pause_nor_where_time_was_put_elsewhere(clock: SimpleNamespace, then: float) -> None:
    drive = DrivingPace(2.0)
    drive.ahead(7.0)
    clock.now += 60.0
    assert drive.ahead(then) == 0.0
    assert drive.ahead(then + 0.1) == pytest.approx(0.05)


def test_as_fast_as_it_goes() -> None:
    assert DrivingPace(0.0).ahead(5.0) == 0.0
