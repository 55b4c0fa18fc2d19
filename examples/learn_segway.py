#!/usr/bin/env python3
"""A Segway learns to stand, once without delay and once with delays that differ from episode to episode.

    python examples/learn_segway.py --out out

CMA-ES searches for the numbers of a small policy: a layer of tanh units between what the policy sees and how fast the
wheels' speed is to change. Both searches take the same episodes, but for the latency of commands. Then both policies
are evaluated under latencies that neither was told. It takes the extra `learn`, two cores and some minutes.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cma
import numpy as np
from numpy.typing import NDArray

from ubersim.control.balancer import BALANCE
from ubersim.learning import UberSimEnv
from ubersim.learning.documents import Latency
from ubersim.learning.evaluation import Evaluation, evaluate
from ubersim.learning.report import plot, table_head, table_line

ENV = "UberSim/SegwayBalance-v0"
TASK = "ubersim.learning.tasks.segway:SegwayBalance"
SEEN, UNITS = 4, 4
NUMBERS = SEEN * UNITS + UNITS
"""Of a policy: weights into the layer, and out of it."""
SECONDS = 6.0
"""Of an episode of training."""
LATENCIES: dict[str, Latency] = {"without delay": 0.0, "with delays of 0 to 100 ms": (0.0, 100.0)}
TESTED = (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
"""Latencies of the evaluation [ms]."""


class SegwayPolicy:
    """Remembers the speed that it wants; sees the tilt, its rate, that speed and its own last change of it."""

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        self._into = numbers[: SEEN * UNITS].reshape(SEEN, UNITS)
        self._out = numbers[SEEN * UNITS :]
        self.reset()

    def reset(self) -> None:
        """An episode begins."""
        self._speed = self._change = 0.0

    def __call__(self, seen: NDArray[np.float32]) -> NDArray[np.float32]:
        """The speed of the wheels, from -1 to 1."""
        felt = np.array([10.0 * (seen[0] - BALANCE), 2.0 * seen[2], self._speed, self._change])
        self._change = float(np.tanh(felt @ self._into) @ self._out)
        self._speed = min(1.0, max(-1.0, self._speed + 0.2 * self._change))
        return np.array([self._speed], np.float32)


@cache
def environment(latency: Latency) -> UberSimEnv:
    """One of each kind in every process."""
    return UberSimEnv(task=TASK, seconds=SECONDS, latency=latency)


def cost(numbers: NDArray[np.float64], latency: Latency, seeds: list[int]) -> float:
    """How far from perfect a policy is, per second, on average over episodes."""
    env, policy, total = environment(latency), SegwayPolicy(numbers), 0.0
    for seed in seeds:
        seen, _ = env.reset(seed=seed)
        policy.reset()
        over = False
        while not over:
            seen, reward, terminated, truncated, _ = env.step(policy(seen))
            total += float(reward)
            over = terminated or truncated
    return 50.0 - total / (len(seeds) * SECONDS)


@dataclass
class Training:
    """A search, and how it went."""

    best: list[float] = field(default_factory=list)
    """The numbers of the policy."""
    costs: list[float] = field(default_factory=list)
    """Of the middle of the search, generation by generation."""


def train(latency: Latency, generations: int, population: int, pool: ProcessPoolExecutor) -> Training:
    """Searches; every generation has episodes of its own, the same for all of its candidates."""
    search = cma.CMAEvolutionStrategy(
        np.zeros(NUMBERS), 0.5, {"popsize": population, "seed": 1, "verbose": -9, "maxiter": generations}
    )
    training = Training()
    for generation in range(generations):
        seeds = [4 * generation + k for k in range(4)]
        candidates = search.ask()
        costs = list(pool.map(cost, candidates, [latency] * len(candidates), [seeds] * len(candidates)))
        search.tell(candidates, costs)
        training.costs.append(float(np.median(costs)))
    training.best = search.mean.tolist()
    return training


def draw(trainings: dict[str, Training], path: Path) -> None:
    """How the searches went."""
    from ubersim.plotting import new_figure

    figure = new_figure(7, 4)
    axes = figure.subplots()
    for name, training in trainings.items():
        axes.plot(training.costs, label=name)
    axes.set(xlabel="generation", ylabel="cost per second, of the median policy", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend(title="trained")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Trains twice, evaluates, draws."""
    parser = argparse.ArgumentParser(description="A Segway learns to stand, with and without delay.")
    parser.add_argument("--generations", type=int, default=60, help="of each search")
    parser.add_argument("--population", type=int, default=16, help="candidates of each generation")
    parser.add_argument("--episodes", type=int, default=20, help="of each evaluation")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for policies and plots")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    with ProcessPoolExecutor(2) as pool:
        search = options.generations, options.population, pool
        trainings = {name: train(latency, *search) for name, latency in LATENCIES.items()}
    results: dict[str, list[Evaluation]] = {}
    for name, training in trainings.items():
        print(f"trained {name}, evaluated:\n{table_head()}")
        results[name] = evaluate(
            SegwayPolicy(np.array(training.best)),
            ENV,
            latency=TESTED,
            episodes=options.episodes,
            seed=10_000,
            progress=lambda found: print(table_line(found), flush=True),
        )
    text: dict[str, Any] = {name: training.best for name, training in trainings.items()}
    (options.out / "segway_policies.json").write_text(json.dumps(text))
    draw(trainings, options.out / "segway_training.png")
    plot(results, options.out / "segway_delay.png")
    print(f"Plots: {options.out / 'segway_training.png'}, {options.out / 'segway_delay.png'}")


if __name__ == "__main__":
    main()
