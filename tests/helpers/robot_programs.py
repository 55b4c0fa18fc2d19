"""Runs a robot's program of clients/ in this process, frame by frame, and cameras only where they matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ubersim.description import expand, shipped
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot


def document(name: str, cameras: bool = False) -> str:
    """A robot of robots/; without its cameras it takes no time to draw."""
    path = shipped(f"robots/{name}.xml")
    text = expand(path.read_text(encoding="utf-8"), path.parent)
    return text if cameras else re.sub(r"<CameraSensor.*?</CameraSensor>", "", text, flags=re.DOTALL)


class Program:
    """What ubersim.client is to a program, without a server."""

    def __init__(self, simulation: Simulation, robot: Robot) -> None:
        self._simulation, self._robot = simulation, robot

    def set(self, component: str, property: str | int, value: float) -> None:
        """A command now."""
        self._robot.command(component, property, value)

    def frames(self, seconds: float, watch: Callable[[], object] = lambda: None) -> Iterator[Moment]:
        """The next frames; `watch` is called after each."""
        end = self._simulation.time + seconds
        while self._simulation.time < end:
            readings = {name: self._robot.read(name) for name, _ in self._robot.readings}
            yield Moment(self._simulation.time, readings)
            self._simulation.step()
            watch()


class Moment(dict[str, Any]):
    """A frame: its readings, and its time [s]."""

    def __init__(self, time: float, readings: dict[str, Any]) -> None:
        super().__init__(readings)
        self.time = time
