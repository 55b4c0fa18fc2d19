"""What a policy sees and does is what the timeline says, and the same as over TCP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.errors import UberSimError
from ubersim.learning import UberSimEnv
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.timing.uniform import Uniform

SENSOR = "<Stamped>true</Stamped><Frequency>100</Frequency><Latency>7</Latency><Noise>0.01</Noise>"
ROBOT = cart(latency="12", sensor=SENSOR)
ACTIONS = [((7 * k) % 11 - 5) / 5 for k in range(12)]


class Executed(Observer):
    """Frames and values of what is executed."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.found: list[tuple[int, Any]] = []

    def executed(self, robot: Robot, commands: Sequence[Any]) -> None:
        self.found += [(self.simulation.frame, command[2]) for command in commands]


def environment(**options: Any) -> UberSimEnv:
    return UberSimEnv(
        ROBOT,
        observation=["Tilt"],
        action={"Motor.Vel": (-4.0, 4.0)},
        reward=lambda task: 0.0,
        control_hz=50.0,
        flat=True,
        **options,
    )


def test_a_policy_asked_at_50_hz_that_thinks_35_ms() -> None:
    env = environment(think=35.0)
    watched = Executed(env.simulation)
    env.simulation.observers.append(watched)
    observation, info = env.reset(seed=1)
    times, ages = [info["time"]], [float(observation[1])]
    for action in ACTIONS:
        observation, _, _, _, info = env.step(np.array([action], np.float32))
        times.append(info["time"])
        ages.append(float(observation[1]))
    assert times == pytest.approx([0.04 * k for k in range(len(ACTIONS) + 1)])
    # At each look but the first the newest reading is 10 ms old: captured 30 ms after the last look, it took 7 ms.
    assert ages == pytest.approx([-1.0, *[0.01] * len(ACTIONS)])
    expected = [(40 * k + 35 + 12, np.float32(4.0 * np.float32(action))) for k, action in enumerate(ACTIONS)]
    assert watched.found == expected[: len(watched.found)] and len(watched.found) == len(ACTIONS) - 1


@pytest.mark.parametrize("think", [0.0, 35.0, Uniform(5, 45, seed=4)], ids=["at once", "35 ms", "drawn"])
@pytest.mark.parametrize("overlap", [False, True], ids=["", "overlap"])
def test_over_tcp_it_is_the_same_to_the_bit(serve: Callable[..., Any], think: Any, overlap: bool) -> None:
    env = environment(think=think, overlap=overlap)
    env.reset(seed=1)
    chance = int(np.random.Generator(np.random.PCG64(1)).integers(2**32))  # as the environment draws it
    seen, digests = [env._agent.look()[0]], [env.simulation.digest()]
    for action in ACTIONS:
        seen.append(env.step(np.array([action], np.float32))[0][0])
        digests.append(env.simulation.digest())

    at: dict[int, str] = {}
    simulation = Simulation(seed=chance)
    serving = serve(
        env.simulation.frame + 1,
        simulation,
        clients=1,
        watch=lambda _: at.update({simulation.frame: simulation.digest()}),
    )
    tilts, times = [], []
    with connect(ROBOT, port=serving.port, think=think, hz=50.0, overlap=overlap) as robot:
        for frame, action in zip(robot, [*ACTIONS, 0.0], strict=False):
            tilts.append(np.float32(robot.latest.get("Tilt", 0.0)))
            times.append(round(1000 * frame.time))
            robot.set("Motor", "Vel", 4.0 * float(np.float32(action)))
        for _ in robot:
            pass
    serving.result()
    assert tilts == seen
    assert [at[frame] for frame in times] == digests


def test_a_chunk_goes_on_while_the_policy_thinks() -> None:
    env = environment(think=35.0, chunk=4, replan=2)
    assert env.action_space.shape == (4, 1)
    watched = Executed(env.simulation)
    env.simulation.observers.append(watched)
    env.reset(seed=1)
    for look in range(3):
        env.step(np.array([[0.25 * look + 0.05 * k] for k in range(4)], np.float32))
    # It looks every 40 ms; a chunk begins 35 ms later, and the next one takes over after two of its actions.
    frames = [frame for frame, _ in watched.found]
    assert frames == [47, 67, 87, 107]
    planned = [0.0, 0.05, 0.25, 0.3]
    assert [value for _, value in watched.found] == pytest.approx([4 * value for value in planned])
    with pytest.raises(UberSimError, match=r"shape \(1,\) came where \(4, 1\) is due"):
        env.step(np.zeros(1))
    with pytest.raises(UberSimError, match="1 action or more"):
        environment(chunk=0)
