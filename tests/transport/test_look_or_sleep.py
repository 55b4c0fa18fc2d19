"""The rule by which a wait sleeps or looks first, on a clock of the test's own."""

from __future__ import annotations

from ubersim.transport.spin_wait import COUNTING, FIRST_PAUSE, SETTLING, LookOrSleep


class Pair:
    """Two processes whose round trips take as long as the way of waiting makes them."""

    def __init__(self, *, looking: float, asleep: float) -> None:
        self.now = 0.0
        self.times = {True: looking, False: asleep}
        self.rule = LookOrSleep(lambda: self.now)

    def waits(self, count: int) -> list[bool]:
        """Which way each of them was."""
        ways = []
        for _ in range(count):
            ways.append(self.rule.begins_wait())
            self.now += self.times[ways[-1]]
        return ways


TRIALS = 2 * (SETTLING + COUNTING)


def test_looking_is_kept_where_it_is_faster() -> None:
    pair = Pair(looking=20e-6, asleep=60e-6)
    pair.waits(TRIALS)
    assert all(pair.waits(FIRST_PAUSE - 1))


def test_sleeping_is_kept_where_it_is_faster() -> None:
    pair = Pair(looking=120e-6, asleep=15e-6)
    pair.waits(TRIALS)
    assert not any(pair.waits(FIRST_PAUSE - 1))


def test_where_it_makes_no_difference_it_sleeps() -> None:
    pair = Pair(looking=1e-3, asleep=1e-3)
    pair.waits(TRIALS)
    assert not any(pair.waits(FIRST_PAUSE - 1))


def test_a_hopeless_trial_ends_early_and_trials_become_rare() -> None:
    pair = Pair(looking=15e-6, asleep=150e-6)
    ways = pair.waits(20_000)
    assert ways.count(False) < 0.01 * len(ways)


def test_it_changes_its_mind_when_the_other_side_does() -> None:
    pair = Pair(looking=15e-6, asleep=150e-6)
    pair.waits(TRIALS)
    pair.times = {True: 150e-6, False: 15e-6}
    pair.waits(FIRST_PAUSE + TRIALS)
    assert not any(pair.waits(100))
