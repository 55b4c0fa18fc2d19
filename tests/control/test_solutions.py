"""Tasks and their solutions: what does not go together is said when a layout is made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.control.goal_modules import Average, Constantly, Proportional, Raw, Tilt
from ubersim.control import Module, Solutions, Tick
from ubersim.control.solutions import makers
from ubersim.errors import UberSimError


class Dreamer(Module):
    """Makes up what only the robot can tell."""

    def update(self, now: Tick) -> Tilt:
        raise AssertionError("it is never asked")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda: Solutions("walk"), "the task 'walk' has no module that solves it"),
        (lambda: Solutions("walk", Raw, Raw), "two modules that solve 'walk' have the same name"),
        (lambda: Solutions("walk", Raw, Constantly), "both solve 'walk', but make Smoothed and Wanted"),
        (lambda: makers([Solutions("a", Raw), Solutions("a", Proportional)]), "two tasks are called 'a'"),
        (lambda: makers([Solutions("a", Raw), Solutions("b", Average)]), "a and b both make Smoothed"),
        (lambda: makers([Solutions("a", Dreamer)]), "a makes Tilt, which comes from the robot"),
    ],
)
def test_what_does_not_go_together(made: Callable[[], object], reason: str) -> None:
    with pytest.raises(UberSimError, match=reason):
        made()


def test_a_task_tells_its_solutions() -> None:
    assert repr(Solutions("smooth", Raw, Average)) == "Solutions('smooth': Raw, Average)"
