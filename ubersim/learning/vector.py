"""Many environments at once, in threads: the kernel lets go of Python's lock while it steps."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.learning.environment import UberSimEnv


class ThreadVectorEnv(VectorEnv[Any, Any, Any]):
    """What `gymnasium.make_vec("UberSim/...", num_envs=8)` makes; equal seeds give equal bits, however threads run.

    An environment whose episode is over begins the next one in the next step, whatever its action then is, as
    Gymnasium's own do. With `vectorization_mode="async"` Gymnasium makes processes with shared memory: the same bits.
    """

    def __init__(self, num_envs: int = 1, threads: int | None = None, **options: Any) -> None:
        """The options are those of `UberSimEnv`."""
        if num_envs < 1:
            raise UberSimError(f"there is at least one environment, not {num_envs}")
        self.metadata = UberSimEnv.metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.num_envs = num_envs
        self.render_mode = options.get("render_mode")
        self.envs = [UberSimEnv(**options) for _ in range(num_envs)]
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._pool = ThreadPoolExecutor(threads or num_envs, thread_name_prefix="environment")
        self._seen: Any = create_empty_array(self.single_observation_space, num_envs)
        self._over = [True] * num_envs

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes everywhere; a single seed is that of the first environment, the others count on from it."""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise UberSimError(f"{len(seeds)} seeds came for {self.num_envs} environments")
        self._over = [False] * self.num_envs
        begun = self._everywhere(lambda index: self.envs[index].reset(seed=seeds[index], options=options))
        return self._batched([seen for seen, _ in begun]), self._infos([info for _, info in begun])

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Every environment goes on to its policy's next look."""
        each = list(iterate(self.action_space, np.asarray(actions)))
        if len(each) != self.num_envs:
            raise UberSimError(f"{len(each)} actions came for {self.num_envs} environments")
        done = self._everywhere(lambda index: self._step(index, each[index]))
        seen, rewards, terminated, truncated, infos = zip(*done, strict=True)
        flags = np.array(terminated, dtype=np.bool_), np.array(truncated, dtype=np.bool_)
        return self._batched(seen), np.array(rewards, np.float64), *flags, self._infos(infos)

    def close_extras(self, **_: Any) -> None:
        """Ends them all."""
        self._pool.shutdown()
        for env in self.envs:
            env.close()

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each."""
        return None if self.render_mode is None else tuple(env.render() for env in self.envs)

    def _step(self, index: int, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._over[index]:
            self._over[index] = False
            seen, info = self.envs[index].reset()
            return seen, 0.0, False, False, info
        seen, reward, terminated, truncated, info = self.envs[index].step(action)
        self._over[index] = terminated or truncated
        return seen, float(reward), terminated, truncated, info

    def _everywhere(self, work: Callable[[int], Any]) -> list[Any]:
        """Does something in every environment; waits for all of them, also if one fails."""
        results = [self._pool.submit(work, index) for index in range(self.num_envs)]
        failures = [result.exception() for result in results]
        for index, failure in enumerate(failures):
            if failure is not None:
                failure.add_note(f"in environment {index} of {self.num_envs}")
                raise failure
        return [result.result() for result in results]

    def _batched(self, seen: Any) -> Any:
        self._seen = concatenate(self.single_observation_space, seen, self._seen)
        return {k: v.copy() for k, v in self._seen.items()} if isinstance(self._seen, dict) else self._seen.copy()

    def _infos(self, infos: Any) -> dict[str, Any]:
        gathered: dict[str, Any] = {}
        for index, info in enumerate(infos):
            gathered = self._add_info(gathered, info, index)
        return gathered
