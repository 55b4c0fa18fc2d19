"""One robot of an environment: what its policy sees, thinks and does, on the robot's own timeline."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
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


class Agent:
    """From observations to commands. Its policy is asked at a frequency, and thinks while the world goes on."""

    def __init__(
        self,
        simulation: Simulation,
        robot: Robot,
        task: Task,
        *,
        observation: Sequence[str],
        action: ActionInput,
        control_hz: float,
        think: Think,
        overlap: bool,
        past: int,
        flat: bool,
        chunk: int = 1,
        replan: int = 1,
        handover: Handover = "replace",
    ) -> None:
        self._simulation, self.robot, self.task = simulation, robot, task
        self._hz, self._think, self._overlap, self._past_length = control_hz, think, overlap, past
        if chunk < 1 or replan < 1:
            raise UberSimError(f"a chunk has 1 action or more, and is made anew after 1 or more: {chunk}, {replan}")
        self._chunk, self._replan = chunk, replan
        self._plan = ChunkPlan(simulation.step_size, handover)
        self.actions = ActionMap(robot, action)
        self.action_space = Box(-1.0, 1.0, (len(self.actions),) if chunk == 1 else (chunk, len(self.actions)))
        self.observations = ObservationMap(
            robot, observation, extra=task.extra, past=(past, len(self.actions)), flat=flat
        )
        task.simulation, task.robot = simulation, robot
        self.begin(0)

    def begin(self, seed: int) -> None:
        """An episode begins in this frame."""
        simulation = self._simulation
        self.thinking = ThinkTime(
            self._think,
            simulation.step_size,
            hz=self._hz / self._replan,
            overlap=self._overlap,
            name=self.robot.name,
            seed=seed,
            first_frame=simulation.frame,
        )
        self.thinking.look(simulation.frame)
        self._plan.clear()
        width = len(self.actions)
        self._past: deque[float] = deque([0.0] * (self._past_length * width), maxlen=self._past_length * width)
        self._asked = perf_counter()

    def act(self, action: Any) -> list[float]:
        """The policy has thought about what it saw last: what it wants counts from when it has; returns its numbers."""
        rows = self._rows(action)
        thinking, schedule = self.thinking, self.robot.commands
        decided = thinking.decide(perf_counter() - self._asked if thinking.measured else 0.0)
        if self._chunk == 1:
            for command in self.actions.commands(rows[0]):
                schedule.receive(decided, command)
        else:
            schedule.cancel("", 0, decided)
            for frame, row in self._plan.take(decided, 1.0 / self._hz, rows):
                for command in self.actions.commands(row):
                    schedule.receive(frame, command)
        self._past.extend(rows[0])
        return rows[0]

    def _rows(self, action: Any) -> list[list[float]]:
        """The actions of a chunk, one after the other."""
        if self._chunk == 1:
            return [self.actions.numbers(action)]
        if np.ndim(action) != 2 or len(action) != self._chunk:
            due = (self._chunk, len(self.actions))
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
