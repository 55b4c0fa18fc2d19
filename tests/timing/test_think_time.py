"""Think time in frames: from when commands count, and when a program looks again."""

from __future__ import annotations

import pytest

from ubersim.timing.latency import Constant
from ubersim.timing.think_time import Measured, Think, ThinkTime
from ubersim.timing.uniform import Uniform

STEP = 0.001


def timeline(thinking: ThinkTime, frames: int, seconds: float = 0.0) -> list[tuple[int, int]]:
    """The frames that a program looks at, each with the one from which its commands count."""
    found = []
    for frame in range(frames):
        if thinking.look(frame):
            found.append((frame, thinking.decide(seconds)))
    return found


@pytest.mark.parametrize(
    ("think", "hz", "expected"),
    [
        (35, 50, [(0, 35), (40, 75), (80, 115), (120, 155)]),
        (20, 50, [(0, 20), (20, 40), (40, 60), (60, 80), (80, 100), (100, 120), (120, 140)]),
        (20.2, 50, [(0, 21), (40, 61), (80, 101), (120, 141)]),
        (0, 20, [(0, 0), (50, 50), (100, 100)]),
        (0, None, [(frame, frame) for frame in range(140)]),
        (60, None, [(0, 60), (60, 120), (120, 180)]),
        (1, 30, [(0, 1), (34, 35), (67, 68), (100, 101), (134, 135)]),
        (Constant(35), 50, [(0, 35), (40, 75), (80, 115), (120, 155)]),
    ],
)
def test_the_timeline(think: Think, hz: float | None, expected: list[tuple[int, int]]) -> None:
    assert timeline(ThinkTime(think, STEP, hz=hz), 140) == expected


def test_with_overlap_it_looks_while_it_thinks() -> None:
    assert timeline(ThinkTime(35, STEP, hz=50, overlap=True), 61) == [(0, 35), (20, 55), (40, 75), (60, 95)]


def test_a_robot_that_joins_later_looks_at_the_clock_of_the_world() -> None:
    thinking = ThinkTime(5, STEP, hz=50, first_frame=13)
    assert [frame for frame in range(13, 61) if thinking.look(frame) and thinking.decide()] == [20, 40, 60]


def test_what_is_measured_counts_with_its_factor() -> None:
    assert timeline(ThinkTime(Measured(2.0), STEP, hz=50), 60, seconds=0.0105) == [(0, 21), (40, 61)]
    assert timeline(ThinkTime("measured", STEP, hz=50), 40, seconds=0.0105) == [(0, 11), (20, 31)]


def test_draws_are_those_of_seed_and_name_and_nothing_overtakes() -> None:
    model = Uniform(5, 90)

    def run(**whose: object) -> list[tuple[int, int]]:
        return timeline(ThinkTime(model, STEP, hz=50, overlap=True, **whose), 2000)  # type: ignore[arg-type]

    one = run(name="A", seed=1)
    assert one == run(name="A", seed=1)
    assert one != run(name="B", seed=1) and one != run(name="A", seed=2)
    decided = [frame for _, frame in one]
    assert decided == sorted(decided)
    assert all(decision - look >= 5 for look, decision in one)


def test_time_that_is_set_back_is_looked_at() -> None:
    thinking = ThinkTime(35, STEP, hz=50)
    assert thinking.look(0) and thinking.decide() == 35
    assert not thinking.look(20) and thinking.look(40) and thinking.decide() == 75
    assert thinking.look(10) and thinking.decide() == 45 and thinking.next_look == 60


@pytest.mark.parametrize(
    ("think", "hz", "message"),
    [
        (-1, None, "between 0 and 60000 ms"),
        ("long", None, "not 'long'"),
        (Constant(3, loss=0.1), None, "no loss"),
        (0, 0, "above 0 Hz"),
        (0, float("nan"), "above 0 Hz"),
    ],
)
def test_nonsense_is_refused(think: Think, hz: float | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ThinkTime(think, STEP, hz=hz)
    with pytest.raises(ValueError, match="factor"):
        Measured(-1)
