"""Several robots in one world, each with a policy of its own: PettingZoo's API for agents that act at the same time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from ubersim.errors import UberSimError
from ubersim.learning.agent import Agent, AgentOptions, Observation
from ubersim.learning.documents import Latency, latency_model, observed_robot
from ubersim.learning.render import outside_picture
from ubersim.learning.task import Task, task_from
from ubersim.simulation import Simulation
from ubersim.simulation.inputs import MaterialsInput, WorldInput
from ubersim.timing.latency import frame_at
from ubersim.timing.periodic import first_due
from ubersim.timing.think_time import Think


class ParallelUberSimEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """Robots by name, each with its task. All are asked at the same instants; what each thinks delays its own commands.

    A robot whose task has failed leaves the episode and stays where it is.
    """

    metadata = {"name": "ubersim_v0", "render_modes": ["rgb_array"], "is_parallelizable": True}  # noqa: RUF012

    def __init__(
        self,
        tasks: Mapping[str, Task | type[Task] | str],
        world: WorldInput = None,
        *,
        positions: Mapping[str, tuple[float, float, float]] | None = None,
        control_hz: float = 50.0,
        think: Think | Mapping[str, Think] = 0.0,
        latency: Latency = None,
        seconds: float = 10.0,
        step: float | None = None,
        materials: MaterialsInput = None,
        setup: Callable[[Simulation, np.random.Generator], None] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """`positions` are those of the robots' origins [m]; `setup` moves what else there is when an episode begins."""
        if not tasks:
            raise UberSimError("a world without robots has nobody who learns")
        self.render_mode = render_mode
        self._latency, self._hz, self._setup = latency, control_hz, setup
        self.simulation = Simulation(world, materials=materials, step=step)
        self._frames = frame_at(seconds, self.simulation.step_size)
        self._agents = {
            name: self._spawned(name, task_from(task), (positions or {}).get(name), think)
            for name, task in tasks.items()
        }
        self.possible_agents = list(self._agents)
        self.agents: list[str] = []
        self.observation_spaces = {name: agent.observations.space for name, agent in self._agents.items()}
        self.action_spaces = {name: agent.action_space for name, agent in self._agents.items()}
        self._start = self.simulation.snapshot()
        self._rng: np.random.Generator | None = None

    def _spawned(
        self, name: str, task: Task, position: tuple[float, float, float] | None, think: Think | Mapping[str, Think]
    ) -> Agent:
        description = observed_robot(task.robot_file, task.observation, self.simulation.materials)
        return Agent(
            self.simulation,
            self.simulation.spawn(description, name=name, position=position),
            task,
            AgentOptions.of(
                task,
                control_hz=self._hz,
                think=think[name] if isinstance(think, Mapping) else think,
                overlap=True,
            ),
        )

    def observation_space(self, agent: str) -> Any:
        """What one of them sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What one of them does."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins an episode with all of them."""
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        rng, simulation = self._rng, self.simulation
        chance = int(rng.integers(2**32))
        simulation.start_over(self._start, chance, {name: latency_model(self._latency, rng) for name in self._agents})
        for agent in self._agents.values():
            agent.task.begin(rng)
        if self._setup is not None:
            self._setup(simulation, rng)
        simulation.begin_frame()
        for agent in self._agents.values():
            agent.begin(chance)
        self._end = simulation.frame + self._frames
        self.agents = list(self._agents)
        return {name: self._agents[name].look() for name in self.agents}, {name: {} for name in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """All policies have thought, and the world goes on until they are asked again."""
        if missing := [name for name in self.agents if name not in actions]:
            raise UberSimError(f"there is no action for {', '.join(missing)}")
        simulation, alive = self.simulation, self.agents
        numbers = {name: self._agents[name].act(actions[name]) for name in alive}
        simulation.step(first_due(simulation.frame + 1, self._hz, simulation.step_size) - simulation.frame)
        tasks = {name: self._agents[name].task for name in alive}
        rewards = {name: float(task.reward(numbers[name])) for name, task in tasks.items()}
        terminated = {name: task.failed() for name, task in tasks.items()}
        over = simulation.frame >= self._end
        seen = {name: self._agents[name].look() for name in alive}
        infos: dict[str, dict[str, Any]] = {name: {"time": simulation.time} for name in alive}
        for name in alive:
            if terminated[name] or over:
                infos[name]["success"] = tasks[name].succeeded()
        self.agents = [] if over else [name for name in alive if not terminated[name]]
        return seen, rewards, terminated, dict.fromkeys(alive, over), infos

    def render(self) -> NDArray[np.uint8] | None:
        """The first robot and what is around it, from outside."""
        return None if self.render_mode is None else outside_picture(self.simulation, self.possible_agents[0])

    def state(self) -> NDArray[np.float64]:
        """Where all bodies are, how they are turned and how they move: what no robot knows."""
        world = self.simulation.world
        parts: Sequence[NDArray[Any]] = (
            world.positions, world.quaternions, world.linear_velocities, world.angular_velocities,
        )  # fmt: skip
        return np.concatenate([part.ravel() for part in parts])

    def close(self) -> None:
        """Ends it."""
        self.simulation.close()
