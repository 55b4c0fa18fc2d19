"""Many environments at once, and several robots in one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from ubersim.errors import UberSimError
from ubersim.learning import UberSimEnv
from ubersim.learning.parallel import ParallelUberSimEnv
from ubersim.learning.vector import ThreadVectorEnv

SEGWAY = "ubersim.learning.tasks.segway:SegwayBalance"


def course(env: gymnasium.vector.VectorEnv[Any, Any, Any], steps: int = 40) -> list[Any]:
    env.action_space.seed(4)
    found = [env.reset(seed=10)[0]]
    for _ in range(steps):
        seen, *rest = env.step(env.action_space.sample())
        found += [seen.copy(), *rest[:3]]
    env.close()
    return found


def test_threads_and_processes_give_the_same_bits() -> None:
    options: dict[str, Any] = {"num_envs": 3, "seconds": 0.4, "latency": (0.0, 40.0)}
    threads = gymnasium.make_vec("UberSim/SegwayBalance-v0", **options)
    assert isinstance(threads, ThreadVectorEnv)
    expected = course(threads)
    processes = gymnasium.make_vec("UberSim/SegwayBalance-v0", vectorization_mode="async", **options)
    assert all(map(np.array_equal, course(processes), expected))
    one = gymnasium.make_vec("UberSim/SegwayBalance-v0", threads=1, **options)
    assert all(map(np.array_equal, course(one), expected))


def test_one_of_many_is_as_it_is_alone() -> None:
    many = ThreadVectorEnv(2, task=SEGWAY)
    alone = UberSimEnv(task=SEGWAY)
    together, _ = many.reset(seed=[3, 8])
    assert np.array_equal(together[1], alone.reset(seed=8)[0])
    for _ in range(5):
        together, rewards, *_ = many.step(np.array([[0.5], [-0.25]], np.float32))
        seen, reward, *_ = alone.step(np.array([-0.25], np.float32))
        assert np.array_equal(together[1], seen) and rewards[1] == reward
    many.close()


def test_what_goes_wrong_in_one_is_told_of_that_one() -> None:
    many = ThreadVectorEnv(2, task=SEGWAY)
    many.reset(seed=1)
    with pytest.raises(UberSimError, match="Vel is nan") as failure:
        many.step(np.array([[0.0], [np.nan]]))
    assert failure.value.__notes__ == ["in environment 1 of 2"]
    with pytest.raises(UberSimError, match="3 seeds came for 2"):
        many.reset(seed=[1, 2, 3])
    with pytest.raises(UberSimError, match="at least one"):
        ThreadVectorEnv(0, task=SEGWAY)
    many.reset(seed=1)
    many.step(np.zeros((2, 1)))
    many.close()


def pair(**options: Any) -> ParallelUberSimEnv:
    places = {"North": (0.0, 1.0, 0.24), "South": (0.0, -1.0, 0.24)}
    return ParallelUberSimEnv(dict.fromkeys(places, SEGWAY), positions=places, seconds=0.6, **options)


def test_pettingzoo_has_nothing_to_say() -> None:
    parallel_api_test(pair(), num_cycles=60)
    parallel_seed_test(pair, num_cycles=20)


def test_two_robots_in_one_world() -> None:
    env = pair(think={"North": 0.0, "South": 15.0}, render_mode="rgb_array")
    seen, _ = env.reset(seed=3)
    assert seen["North"] in env.observation_space("North")
    state = env.state()
    for _ in range(30):
        _, rewards, terminated, truncated, infos = env.step({name: np.array([0.1]) for name in env.agents})
        assert rewards.keys() == terminated.keys() == truncated.keys() == infos.keys()
    assert all(truncated.values()) and not env.agents and {"success", "time"} == infos["South"].keys()
    assert env.state().shape == state.shape and not np.array_equal(env.state(), state)
    picture = env.render()
    assert picture is not None and picture.shape == (360, 480, 3)
    env.reset(seed=3)
    assert np.array_equal(env.state(), state)
    with pytest.raises(UberSimError, match="no action for South"):
        env.step({"North": np.zeros(1)})
    with pytest.raises(UberSimError, match="nobody who learns"):
        ParallelUberSimEnv({})
    env.close()


def test_as_many_actions_as_environments() -> None:
    many = ThreadVectorEnv(2, task=SEGWAY)
    assert many.render() is None
    with pytest.raises(UberSimError, match="3 actions came for 2 environments"):
        many.step(np.zeros((3, 1), np.float32))
    many.close()


def test_what_else_there_is_moves_when_an_episode_begins() -> None:
    drawn: list[float] = []
    env = pair(setup=lambda simulation, rng: drawn.append(float(rng.random())))
    for seed in (1, 1, 2):
        env.reset(seed=seed)
    assert drawn[0] == drawn[1] != drawn[2]
    env.close()
