"""What is wrong is named, and the environment can be reset after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.errors import UberSimError
from ubersim.learning import Task, UberSimEnv
from ubersim.learning.documents import Documents

GOOD: dict[str, Any] = {
    "robot": cart(sensor="<Frequency>100</Frequency>"),
    "observation": ["Tilt"],
    "action": {"Motor.Vel": (-4.0, 4.0)},
    "reward": lambda task: 1.0,
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"observation": ["Tild"]}, "Cart has no sensor 'Tild' to observe; it has"),
        ({"observation": []}, "sees nothing"),
        ({"action": {"Engine.Vel": (-1, 1)}}, "Cart has no component 'Engine'; known are"),
        ({"action": {"Motor.Spin": (-1, 1)}}, "Motor has no property 'Spin'"),
        ({"action": {"Vel": (-1, 1)}}, "'Vel' is not of the form Component.Property"),
        ({"action": {"Motor.Vel": (1, -1)}}, "limits of the action Motor.Vel are 1 and -1"),
        ({"action": ["Motor.Vel"]}, "limits of Motor.Vel: give them"),
        ({"action": []}, "names no property"),
        ({"render_mode": "ascii"}, "no render mode 'ascii'; there are rgb_array"),
        ({"task": 3}, "a task is a Task, not 3"),
    ],
)
def test_what_makes_no_environment(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UberSimError, match=message):
        UberSimEnv(**(GOOD | wrong))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (np.zeros(2), r"shape \(2,\) came where \(1,\) is due: Motor.Vel"),
        (np.zeros((1, 1)), "for Motor.Vel"),
        (0.5, r"shape \(\) came"),
        (np.array([np.nan]), "for Motor.Vel is nan"),
        (["fast"], "for Motor.Vel is 'fast'"),
        (None, "shape"),
    ],
)
def test_what_is_no_action(action: Any, message: str) -> None:
    env = UberSimEnv(**GOOD)
    with pytest.raises(UberSimError, match=r"begins with reset\(\)"):
        env.step(np.zeros(1))
    env.reset(seed=1)
    with pytest.raises(UberSimError, match=message):
        env.step(action)
    first, _ = env.reset(seed=2)
    env.step(np.zeros(1))
    assert np.array_equal(env.reset(seed=2)[0], first)


def test_what_lies_beyond_the_limits_is_at_them() -> None:
    env = UberSimEnv(**GOOD)
    env.reset(seed=1)
    env.step(np.array([np.inf]))
    assert env.robot.joints["Motor"].get(2) == 4.0
    env.step(np.array([-7]))
    assert env.robot.joints["Motor"].get(2) == -4.0


def test_a_task_that_raises_leaves_an_environment_that_can_be_reset() -> None:
    def reward(task: Task) -> float:
        if task.simulation.time > 0.05:
            raise ZeroDivisionError
        return 1.0

    env = UberSimEnv(**(GOOD | {"reward": reward}))
    for _ in range(2):
        env.reset(seed=1)
        env.step(np.zeros(1))
        env.step(np.zeros(1))
        with pytest.raises(ZeroDivisionError):
            env.step(np.zeros(1))


def test_a_task_without_reward_says_so() -> None:
    env = UberSimEnv(**{key: value for key, value in GOOD.items() if key != "reward"})
    env.reset()
    with pytest.raises(NotImplementedError, match="Task has no reward"):
        env.step(np.zeros(1))


def test_latencies_of_a_range_are_drawn_for_each_episode() -> None:
    env = gymnasium.make("UberSim/SegwayBalance-v0", latency=(5.0, 60.0))
    drawn = [env.reset(seed=seed)[1]["latency"] for seed in range(20)]
    assert drawn == [env.reset(seed=seed)[1]["latency"] for seed in range(20)]
    assert len(set(drawn)) == 20 and 5 <= min(drawn) < 20 and 45 < max(drawn) <= 60
    fixed = gymnasium.make("UberSim/SegwayBalance-v0", latency=33)
    assert fixed.reset()[1]["latency"] == 33
    own = gymnasium.make("UberSim/SegwayBalance-v0")
    assert own.reset()[1]["latency"] == 10


def test_observations_by_name() -> None:
    env = gymnasium.make("UberSim/SegwayDrive-v0", flat=False, past=3, observation=["Tilt"])
    assert isinstance(env.observation_space, gymnasium.spaces.Dict)
    seen, _ = env.reset(seed=1)
    assert {name: part.shape for name, part in seen.items()} == {
        "Tilt": (),
        "Age": (1,),
        "Task": (3,),
        "Past": (6,),
    }
    env.action_space.seed(1)
    done = [env.action_space.sample() for _ in range(4)]
    for action in done:
        seen = env.step(action)[0]
    assert np.array_equal(seen["Past"], np.concatenate(done[1:]))
    assert seen in env.observation_space


def test_documents_that_want_numbers_drawn(tmp_path: Path) -> None:
    robot = cart(sensor='<Frequency>100</Frequency><Noise min="0.01" max="0.05"/>')
    robot = robot.replace("<Mass>2</Mass>", '<Mass min="1" max="4"/>')
    world = tmp_path / "world.xml"
    world.write_text(
        '<World><Ground/><Settings><Gravity><x>0</x><y>0</y><z min="-11" max="-9"/></Gravity></Settings></World>'
    )
    env = UberSimEnv(**(GOOD | {"robot": robot, "world": world}))

    def drawn(seed: int) -> tuple[float, float, float]:
        env.reset(seed=seed)
        env.step(np.zeros(1))
        base = env.robot.description.bodies[0]
        return base.mass_properties().mass, base.sensors[0].noise, env.simulation.world.gravity[2]

    first = [drawn(seed) for seed in range(8)]
    assert first == [drawn(seed) for seed in range(8)]
    assert all(len(set(column)) == 8 for column in zip(*first, strict=True))
    assert all(1 <= mass <= 4 and 0.01 <= noise <= 0.05 and -11 <= g <= -9 for mass, noise, g in first)
    assert env.reset(seed=3)[0] in env.observation_space


def test_a_task_that_tells_more_than_it_said() -> None:
    class Talkative(Task):
        extra = 1

        def tell(self) -> list[float]:
            return [1.0, 2.0]

    with pytest.raises(UberSimError, match="the task tells 2 numbers, but said that there would be 1"):
        UberSimEnv(**GOOD, task=Talkative).reset(seed=1)


@pytest.mark.parametrize(("mu", "vary"), [("0.3", False), ("{min: 0.2, max: 0.4}", True)])
def test_materials_that_want_numbers_drawn(tmp_path: Path, mu: str, vary: bool) -> None:
    file = tmp_path / "materials.yaml"
    file.write_text(f"materials: {{Ground: a, Rubber: b, Plastic: c}}\ndefault: {{mu: {mu}, bounce: 0.1}}\n")
    assert Documents(cart(), None, file, ()).vary is vary
