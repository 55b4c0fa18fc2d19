"""What is to be learned: how an episode begins, what is rewarded, when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import ClassVar

import numpy as np

from ubersim.errors import UberSimError
from ubersim.learning.actions import ActionInput
from ubersim.simulation import Simulation
from ubersim.simulation.inputs import RobotInput, WorldInput
from ubersim.simulation.robot import Robot


class Task:
    """Base of tasks. The class variables are what an environment takes unless it is told otherwise."""

    robot_file: RobotInput = ""
    """A robot's file or document; `shipped` ones may be named as in `robots/segway.xml`."""
    world_file: WorldInput = None
    observation: Sequence[str] = ()
    """Names of sensors."""
    action: ClassVar[ActionInput] = ()
    """Properties, and what -1 and +1 mean for them."""
    step: float | None = None
    """Of the simulation [s]; None: the world's own."""
    control_hz: float = 50.0
    """How often the policy is asked [Hz]."""
    seconds: float = 10.0
    """Length of an episode."""
    flat: bool = True
    """Whether an observation is one vector; else it is a dictionary, by sensor."""
    past: int = 0
    """How many of the last actions are part of the observation."""
    extra: int = 0
    """How many numbers `tell` returns."""

    simulation: Simulation
    robot: Robot

    periods: float = 1.0
    """How many periods of the control frequency have passed since the last look: more than 1 while a policy thinks."""

    def populate(self) -> None:
        """Once, when the world is made and the robot is in it: others join, who are there in every episode."""

    def begin(self, rng: np.random.Generator) -> None:
        """An episode begins: everything is where it was spawned. Moves what is to be elsewhere."""

    def tell(self) -> Sequence[float]:
        """What the policy is told beside its sensors' readings."""
        return ()

    def reward(self, action: Sequence[float]) -> float:
        """Of what has happened since the last look; what is rewarded by time is to count `periods` times."""
        raise NotImplementedError(f"{type(self).__name__} has no reward")

    def failed(self) -> bool:
        """Whether the episode ends here, before its time."""
        return False

    def succeeded(self) -> bool:
        """At the end of an episode: whether it was one of success."""
        return not self.failed()


def task_from(given: Task | type[Task] | str | None) -> Task:
    """A task, or what makes one; a text is `module:Class`."""
    if given is None:
        return Task()
    if isinstance(given, str):
        module, _, name = given.partition(":")
        given = getattr(import_module(module), name)
    if isinstance(given, type):
        given = given()
    if not isinstance(given, Task):
        raise UberSimError(f"a task is a Task, not {given!r:.80}")
    return given
