"""The commands of some components, those that were executed of late and those that are under way, for who watches."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from ubersim.components.commandable import Command
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot

KEPT = 256
"""Commands of one component."""
MOST = 64
"""Components; of more, those that were asked for last."""

Row = tuple[float, float, float, float]


class CommandHistory(Observer):
    """Told of commands from when a component is asked for first; before that, it costs nothing."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._executed: dict[tuple[str, str], deque[Row]] = {}

    def watch(self, names: Iterable[str]) -> None:
        """Keeps the commands of these, `Robot/Component`, from now on."""
        for name in names:
            robot, _, component = name.partition("/")
            self._executed[robot, component] = self._executed.pop((robot, component), deque(maxlen=KEPT))
        for key in list(self._executed)[:-MOST]:
            del self._executed[key]
        if self._executed and self not in self._simulation.observers:
            self._simulation.observers.append(self)

    def rows(self, name: str) -> Array:
        """Number of the property, sent [s], executed [s], value; those under way come last."""
        robot, _, component = name.partition("/")
        rows = list(self._executed.get((robot, component), ()))
        found = self._simulation.robots.get(robot)
        if found is not None:
            step = self._simulation.step_size
            rows += [
                (float(number), sent * step, frame * step, float(value))
                for sent, frame, (part, number, value) in found.commands.journeys
                if part == component and not isinstance(value, bytes)
            ]
        return np.array(rows[-KEPT:], dtype=float).reshape(-1, 4)

    def executed(self, robot: Robot, commands: Sequence[Command]) -> None:
        """Keeps those that are asked for."""
        now, step = self._simulation.frame, self._simulation.step_size
        own = robot.commands.due_frame == now  # else a supervisor's, which come at once
        stamps = robot.commands.sent if own else [now] * len(commands)
        for (component, number, value), sent in zip(commands, stamps, strict=True):
            kept = self._executed.get((robot.name, component))
            if kept is not None and not isinstance(value, bytes):
                kept.append((float(number), sent * step, now * step, float(value)))

    def left(self, robot: Robot) -> None:
        """Another robot of that name has its own."""
        for (name, _), kept in self._executed.items():
            if name == robot.name:
                kept.clear()

    def restored(self, snapshot: Snapshot, before: int) -> None:
        """What was executed has not been yet."""
        for kept in self._executed.values():
            kept.clear()
