"""The goalkeeper benchmark as an environment: who keeps the goal, what ends an attempt, and what it is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ubersim.errors import UberSimError
from ubersim.learning import UberSimEnv
from ubersim.learning.tasks.striker import Striker

STAND = np.array([0.0, 0.0, 0.0, -1.0], np.float32)


def put_ball(env: UberSimEnv, x: float, y: float) -> None:
    env.simulation.objects["Ball"].set_state((x, y, 0.11), None, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def env() -> Any:
    made = UberSimEnv(task=Striker("still"))
    yield made
    made.close()


def test_an_attempt_begins_when_the_ball_is_in_play(env: UberSimEnv) -> None:
    kinds = set()
    for seed in range(6):
        seen, _ = env.reset(seed=seed)
        kinds.add(env.task.kind)  # type: ignore[attr-defined]
        assert 0.5 < np.hypot(*seen[:2]) < 3.0, "the ball is near"
        assert np.hypot(seen[6] - seen[4], seen[7] - seen[5]) < 1.2, "the keeper is at its goal"
        assert np.hypot(*seen[8:]) == pytest.approx(1.0)
    assert kinds == {"penalty", "open play"}


@pytest.mark.parametrize(("place", "scored"), [((0.4, 6.2), True), ((4.5, 0.0), False)])
def test_a_decision_ends_it_and_a_goal_is_worth_most(env: UberSimEnv, place: tuple[float, float], scored: bool) -> None:
    env.reset(seed=1)
    put_ball(env, *place)
    env.step(STAND)
    _, reward, over, _, info = env.step(STAND)  # the referee has looked by now
    assert over and info["success"] == scored
    assert reward == (10.0 if scored else 0.0)


def test_the_ball_is_rewarded_for_coming_nearer(env: UberSimEnv) -> None:
    env.reset(seed=1)
    before = env.task._to_goal()  # type: ignore[attr-defined]
    put_ball(env, 0.0, 5.0)
    _, reward, over, _, _ = env.step(STAND)
    assert not over and reward == pytest.approx(before - 1.0, abs=1e-3)


def test_keepers_differ() -> None:
    """The same attempt, against another policy: the keeper is elsewhere in the end."""
    places = []
    for policy in ("still", "pattern"):
        env = UberSimEnv(task=Striker(policy))
        env.reset(seed=3)
        for _ in range(25):
            env.step(STAND)
        places.append(env.simulation.body("Keeper1").position.copy())
        env.close()
    assert abs(places[0][0] - places[1][0]) > 0.05
    with pytest.raises(UberSimError):
        UberSimEnv(task=Striker("sleepy")).reset(seed=1)
