"""The simulation beside a clock: how long it sleeps, and what it makes up for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ubersim.server import real_time
from ubersim.server.real_time import RealTime


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Shows what is set [s]."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(real_time, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


def test_it_sleeps_until_the_clock_is_there_and_catches_up_after_a_hiccup(clock: SimpleNamespace) -> None:
    pace = RealTime(1.0, 0.001)
    pace.frame_begins(200)
    assert pace.ahead() == pytest.approx(0.2)
    clock.now += 0.5
    assert pace.ahead() == pytest.approx(-0.3)
    pace.frame_begins(300)
    assert pace.ahead() == pytest.approx(0.0)


@pytest.mark.parametrize("rate", [0.5, 1.0, 4.0])
def test_it_does_not_race_after_it_was_held_up(clock: SimpleNamespace, rate: float) -> None:
    """By a breakpoint in a program, for instance: time that was lost is not simulated all at once."""
    pace = RealTime(rate, 0.001)
    pace.frame_begins()
    clock.now += 3600.0
    assert pace.ahead() == pytest.approx(-0.5)
    pace.frame_begins(round(rate * 500))
    assert pace.ahead() == pytest.approx(0.0)
    clock.now += 1.0
    pace.frame_begins(round(rate * 1000))
    assert pace.ahead() == pytest.approx(0.0)
