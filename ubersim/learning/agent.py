"""One robot of an environment: what its policy sees, thinks and does, on the robot's own timeline."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box

from ubersim.errors import UberSimError
from ubersim.learning.actions import ActionInput, ActionMap
from ubersim.learning.observations import ObservationMap
from ubersim.learning.task import Task
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.timing.chunks import ChunkPlan, Handover
from ubersim.timing.think_time import Think, ThinkTime

Observation: TypeAlias = Any
"""One vector, or arrays by name."""


@dataclass(frozen=True)
class AgentOptions:
    """What a policy sees and does, and how often it is asked."""

    observation: Sequence[str]
    """Sensors that it sees."""
    action: ActionInput
    """What its numbers do."""
    control_hz: float
    """How often it is asked [1/s]."""
    think: Think
    """How long it takes to answer [s]."""
    overlap: bool
    """Whether it is asked again while it still thinks."""
    past: int
    """Its own last actions that it sees, too."""
    flat: bool
    """Whether it sees one vector, instead of arrays by name."""
    chunk: int = 1
    """Actions that it answers with at once."""
    replan: int = 1
    """Of these, how many are done before it is asked again."""
    handover: Handover = "replace"
    """What becomes of an older answer's actions that are not done yet."""

    @classmethod
    def of(cls, task: Task, **wanted: Any) -> AgentOptions:
        """What is not wanted otherwise, or None, is as the task says."""
        usual = {name: getattr(task, name) for name in ("observation", "action", "control_hz", "past", "flat")}
        return cls(**usual | {name: value for name, value in wanted.items() if value is not None})


class Agent:
    """From observations to commands. Its policy is asked at a frequency, and thinks while the world goes on."""

    def __init__(self, simulation: Simulation, robot: Robot, task: Task, options: AgentOptions) -> None:
        self._simulation, self.robot, self.task, self._options = simulation, robot, task, options
        chunk, past = options.chunk, options.past
        if chunk < 1 or options.replan < 1:
            numbers = f"{chunk}, {options.replan}"
            raise UberSimError(f"a chunk has 1 action or more, and is made anew after 1 or more: {numbers}")
        self._plan = ChunkPlan(simulation.step_size, options.handover)
        self.actions = ActionMap(robot, options.action)
        self.action_space = Box(-1.0, 1.0, (len(self.actions),) if chunk == 1 else (chunk, len(self.actions)))
        self.observations = ObservationMap(
            robot, options.observation, extra=task.extra, past=(past, len(self.actions)), flat=options.flat
        )
        task.simulation, task.robot = simulation, robot
        self.begin(0)

    def begin(self, seed: int) -> None:
        """An episode begins in this frame."""
        simulation, options = self._simulation, self._options
        self.thinking = ThinkTime(
            options.think,
            simulation.step_size,
            hz=options.control_hz / options.replan,
            overlap=options.overlap,
            name=self.robot.name,
            seed=seed,
            first_frame=simulation.frame,
        )
        self.thinking.look(simulation.frame)
        self._plan.clear()
        past = options.past * len(self.actions)
        self._past: deque[float] = deque([0.0] * past, maxlen=past)
        self._asked = perf_counter()

    def act(self, action: Any) -> list[float]:
        """The policy has thought about what it saw last: what it wants counts from when it has; returns its numbers."""
        rows = self._rows(action)
        thinking, schedule = self.thinking, self.robot.commands
        decided = thinking.decide(perf_counter() - self._asked if thinking.measured else 0.0)
        if self._options.chunk == 1:
            for command in self.actions.commands(rows[0]):
                schedule.receive(decided, command)
        else:
            schedule.cancel("", 0, decided)
            for frame, row in self._plan.take(decided, 1.0 / self._options.control_hz, rows):
                for command in self.actions.commands(row):
                    schedule.receive(frame, command)
        self._past.extend(rows[0])
        return rows[0]

    def _rows(self, action: Any) -> list[list[float]]:
        """The actions of a chunk, one after the other."""
        if self._options.chunk == 1:
            return [self.actions.numbers(action)]
        if np.ndim(action) != 2 or len(action) != self._options.chunk:
            due = (self._options.chunk, len(self.actions))
            raise UberSimError(f"a chunk of shape {np.shape(action)} came where {due} is due")
        return [self.actions.numbers(row) for row in action]

    def look(self) -> Observation:
        """What the policy sees in this frame, in which it is asked."""
        simulation = self._simulation
        self.thinking.look(simulation.frame)
        seen = self.observations.observe(
            self.robot, simulation.frame, simulation.step_size, self.task.tell(), self._past
        )
        self._asked = perf_counter()
        return seen
