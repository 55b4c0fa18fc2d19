"""The environments that come along: Gymnasium's own checks, seeds, pictures."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from ubersim.learning import UberSimEnv
from ubersim.learning.registration import TASKS

IDS = [f"UberSim/{name}" for name in TASKS]
STEPS = 12


def episode(env: gymnasium.Env[Any, Any], seed: int, steps: int = STEPS) -> list[Any]:
    """Everything that comes out of an episode with actions that are drawn from the seed, too."""
    env.action_space.seed(seed)
    found: list[Any] = [env.reset(seed=seed)]
    for _ in range(steps):
        found.append(env.step(env.action_space.sample()))
        if found[-1][2] or found[-1][3]:
            break
    unwrapped = env.unwrapped
    assert isinstance(unwrapped, UberSimEnv)
    return [*found, unwrapped.simulation.digest()]


def equal(one: Any, other: Any) -> bool:
    """To the bit, in whatever is nested in whatever."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(np.array_equal(one, other))


@pytest.mark.parametrize("name", IDS)
@pytest.mark.filterwarnings("ignore:.*A Box observation space m..imum value is")
def test_gymnasium_has_nothing_to_say(name: str) -> None:
    env = gymnasium.make(name, render_mode="rgb_array")
    check_env(env.unwrapped, skip_close_check=True)
    env.reset(seed=1)
    picture = env.render()
    assert isinstance(picture, np.ndarray) and picture.shape == (360, 480, 3) and picture.std() > 10
    env.close()


@pytest.mark.parametrize("name", IDS)
def test_equal_seeds_give_equal_bits(name: str) -> None:
    env = gymnasium.make(name)
    first = episode(env, 7)
    other = episode(env, 8)
    assert equal(episode(env, 7), first)
    assert not equal(other, first)
    env.close()
    again = gymnasium.make(name)
    assert equal(episode(again, 7), first)
    again.close()


def test_without_a_seed_draws_go_on() -> None:
    env = gymnasium.make("UberSim/SegwayBalance-v0")
    seen = [env.reset(seed=3)[0], *(env.reset()[0] for _ in range(2))]
    again = [env.reset(seed=3)[0], *(env.reset()[0] for _ in range(2))]
    assert equal(seen, again) and len({tuple(one) for one in seen}) == 3
    env.close()
