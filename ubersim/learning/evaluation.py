"""What a policy is worth under delay: episodes for every think time and latency, with what chance leaves open."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

import ubersim.learning.registration
from ubersim.errors import UberSimError
from ubersim.learning.policies import Policy
from ubersim.timing.think_time import Think

Interval = tuple[float, float]
_RESAMPLES = 2000
_Z = 1.959964
"""Within that many standard deviations lies 95 % of a bell curve."""


@dataclass(frozen=True)
class Evaluation:
    """Episodes with one think time and one latency."""

    think: Think
    """[ms], or `measured`."""
    latency: float | None
    """Of commands [ms]; None: the robot's own."""
    returns: tuple[float, ...]
    """The sum of rewards of each episode."""
    successes: tuple[bool, ...]
    lengths: tuple[float, ...]
    """Simulated time of each episode [s]."""
    inference: float
    """What a decision took here, on average [ms]."""

    @property
    def mean_return(self) -> float:
        """Over the episodes."""
        return float(np.mean(self.returns))

    @property
    def return_interval(self) -> Interval:
        """Where the mean return lies, with 95 % confidence; by drawing the episodes anew, in the same way each time."""
        rng = np.random.Generator(np.random.PCG64(0))
        returns = np.array(self.returns)
        means = returns[rng.integers(len(returns), size=(_RESAMPLES, len(returns)))].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        return float(low), float(high)

    @property
    def success_rate(self) -> float:
        """The share of episodes that succeeded."""
        return sum(self.successes) / len(self.successes)

    @property
    def success_interval(self) -> Interval:
        """Where the true rate of success lies, with 95 % confidence (Wilson)."""
        n, rate = len(self.successes), self.success_rate
        middle = (rate + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


def evaluate(
    policy: Policy,
    env_id: str,
    *,
    think: Sequence[Think] = (0.0,),
    latency: Sequence[float | None] = (None,),
    episodes: int = 20,
    seed: int = 0,
    progress: Callable[[Evaluation], None] = lambda _: None,
    **options: Any,
) -> list[Evaluation]:
    """All combinations, each with the same seeds; `options` are those of the environment."""
    if episodes < 1:
        raise UberSimError(f"an evaluation has at least one episode, not {episodes}")
    ubersim.learning.registration.register()
    found = []
    for thought in think:
        for late in latency:
            try:
                env = gymnasium.make(env_id, think=thought, latency=late, disable_env_checker=True, **options)
            except gymnasium.error.Error as error:
                raise UberSimError(f"{env_id}: {error}") from None
            except (TypeError, ValueError) as error:
                raise UberSimError(f"{env_id} cannot be made with these options: {error}") from None
            with env:
                found.append(_evaluation(policy, env, thought, late, range(seed, seed + episodes)))
            progress(found[-1])
    return found


def _evaluation(
    policy: Policy, env: gymnasium.Env[Any, Any], think: Think, latency: float | None, seeds: range
) -> Evaluation:
    episodes = [_episode(policy, env, seed) for seed in seeds]
    decisions = sum(episode.decisions for episode in episodes)
    return Evaluation(
        think,
        latency,
        tuple(episode.total for episode in episodes),
        tuple(episode.success for episode in episodes),
        tuple(episode.seconds for episode in episodes),
        1000.0 * sum(episode.thought for episode in episodes) / max(1, decisions),
    )


@dataclass
class _Episode:
    total: float = 0.0
    success: bool = False
    seconds: float = 0.0
    decisions: int = 0
    thought: float = 0.0


def _episode(policy: Policy, env: gymnasium.Env[Any, Any], seed: int) -> _Episode:
    episode = _Episode()
    observation, _ = env.reset(seed=seed)
    if (reset := getattr(policy, "reset", None)) is not None:
        reset()
    over = False
    while not over:
        begin = perf_counter()
        try:
            action = policy(observation)
        except UberSimError:
            raise
        except Exception as error:
            raise UberSimError(f"the policy raises in the episode of seed {seed}: {error!r:.300}") from error
        episode.thought += perf_counter() - begin
        episode.decisions += 1
        observation, reward, terminated, truncated, info = env.step(action)
        episode.total += float(reward)
        over = terminated or truncated
    episode.success, episode.seconds = bool(info.get("success", not terminated)), float(info.get("time", 0.0))
    return episode
