"""What environments cost: steps per second, alone and in threads, over bare stepping, and beside Gymnasium's MuJoCo.

python -m benchmarks.learning

Prints tables and asserts nothing. The policy is asked at 50 Hz and the world steps by 1 ms, so a step of an environment
is 20 of physics. Times of one environment are processor time, the best of several turns; of threads, time on the wall.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from ubersim.control.balancer import BALANCE, TOP_SPEED
from ubersim.learning import UberSimEnv
from ubersim.learning.registration import TASKS
from ubersim.learning.vector import ThreadVectorEnv

SEGWAY = "ubersim.learning.tasks.segway:SegwayBalance"
STEPS, ROUNDS = 250, 7
"""Of a turn, and how many turns."""


class Balance:
    """Keeps the Segway upright, so that what is measured is a robot that does something."""

    def __init__(self) -> None:
        self.speed = 0.0

    def __call__(self, seen: Any) -> float:
        acceleration = 150.0 * (BALANCE - float(seen[0])) - 30.0 * float(seen[2])
        self.speed = min(1.0, max(-1.0, self.speed + acceleration * 0.02 / TOP_SPEED))
        return self.speed


def best(turn: Callable[[], float]) -> float:
    """The shortest of several turns [s]."""
    return min(turn() for _ in range(ROUNDS))


def environment_turn(env: UberSimEnv) -> float:
    """Processor time of one step of an environment [s]."""
    seen, _ = env.reset(seed=1)
    policy, spent = Balance(), 0.0
    for _ in range(STEPS):
        action = np.array([policy(seen)], np.float32)
        begin = time.thread_time()
        seen, *_ = env.step(action)
        spent += time.thread_time() - begin
    return spent / STEPS


def bare_turn(env: UberSimEnv) -> float:
    """The same world and the same commands, but what is measured is `Simulation.step(20)` alone [s]."""
    seen, _ = env.reset(seed=1)
    policy, spent = Balance(), 0.0
    for _ in range(STEPS):
        speed = policy(seen) * TOP_SPEED
        for motor in ("LMotor", "RMotor"):
            env.robot.command(motor, "Vel", speed)
        begin = time.thread_time()
        env.simulation.step(20)
        spent += time.thread_time() - begin
        seen = env._agent.look()
    return spent / STEPS


def threads_turn(env: ThreadVectorEnv) -> float:
    """Time on the wall per step of one of several environments [s]."""
    seen, _ = env.reset(seed=1)
    policies = [Balance() for _ in range(env.num_envs)]
    begin = time.perf_counter()
    for _ in range(STEPS):
        seen, *_ = env.step(np.array([[policy(one)] for policy, one in zip(policies, seen, strict=True)], np.float32))
    return (time.perf_counter() - begin) / (STEPS * env.num_envs)


def reset_turn(env: gymnasium.Env[Any, Any]) -> float:
    """Processor time of a reset [s]."""
    begin = time.thread_time()
    for seed in range(20):
        env.reset(seed=seed)
    return (time.thread_time() - begin) / 20


def mujoco_turn(env: gymnasium.Env[Any, Any]) -> float:
    """Processor time of a step of one of Gymnasium's own environments, with drawn actions [s]."""
    env.reset(seed=1)
    env.action_space.seed(1)
    spent = 0.0
    for _ in range(STEPS):
        action = env.action_space.sample()
        begin = time.thread_time()
        _, _, terminated, truncated, _ = env.step(action)
        spent += time.thread_time() - begin
        if terminated or truncated:
            env.reset()
    return spent / STEPS


def steps() -> None:
    """Steps per second, and what the environment adds to bare stepping."""
    env = UberSimEnv(task=SEGWAY, seconds=1e6)
    turns = [
        (environment_turn(env), bare_turn(env)) for _ in range(ROUNDS)
    ]  # in turns, so that both have the same luck
    ours, bare = (min(column) for column in zip(*turns, strict=True))
    print(f"SegwayBalance, one environment   {1 / ours:9.0f} steps/s   {1e6 * ours:7.1f} us")
    print(f"  bare Simulation.step(20)       {1 / bare:9.0f} steps/s   {1e6 * bare:7.1f} us")
    print(f"  overhead                       {ours / bare - 1:9.1%}  (wanted: <= 15 %)")
    for count in (1, 2):
        vector = ThreadVectorEnv(count, task=SEGWAY, seconds=1e6)
        each = best(lambda vector=vector: threads_turn(vector))  # type: ignore[misc]
        print(f"  {count} in threads, on the wall       {1 / each:9.0f} steps/s   {1e6 * each:7.1f} us")
        vector.close()
    env.close()


def mujoco() -> None:
    """For scale: other robots, other time steps."""
    for name in ("InvertedPendulum-v5", "Ant-v5"):
        try:
            env = gymnasium.make(name)
        except (gymnasium.error.Error, ImportError) as error:
            print(f"{name}: {error}")
            continue
        each = best(lambda env=env: mujoco_turn(env))  # type: ignore[misc]
        about: Any = env.unwrapped
        detail = f"{about.frame_skip} of {1000 * about.model.opt.timestep:g} ms"
        print(f"MuJoCo {name:20}      {1 / each:9.0f} steps/s   {1e6 * each:7.1f} us   ({detail})")
        env.close()


def resets() -> None:
    """What it takes to begin an episode."""
    print("reset by snapshot:")
    for name in TASKS:
        env = gymnasium.make(f"UberSim/{name}", disable_env_checker=True)
        each = best(lambda env=env: reset_turn(env))  # type: ignore[misc]
        wanted = "  (wanted: <= 1 ms)" if name.startswith("SegwayBalance") else ""
        print(f"  {name:24} {1e3 * each:7.3f} ms{wanted}")
        env.close()


def main() -> None:
    """All of it."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    steps()
    mujoco()
    resets()


if __name__ == "__main__":
    main()
