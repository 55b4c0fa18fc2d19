"""A run whose program is a command: a real server on a free port, the program a process of its own."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.server import Server, run_with_program
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.sweeps.parameters import Value

_LONGEST_ANSWER = 60.0
"""Real time for which a program may be silent [s]."""


class RobotArrival(Observer):
    """Told when the robot is there."""

    def __init__(self, then: Callable[[Robot], None]) -> None:
        self._then = then

    def joined(self, robot: Robot) -> None:
        self._then(robot)


def serve(
    simulation: Simulation, words: tuple[str, ...], document: str, frames: int, values: Mapping[str, Value], folder: str
) -> None:
    """Runs server and program to the end."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        Server(simulation, port=0, clients=1, timeout=_LONGEST_ANSWER) as server,
    ):
        robot = Path(scratch) / "robot.xml"
        robot.write_text(document, encoding="utf-8")
        host, port = server.address
        filled = {"host": host, "port": port, "robot": robot, **values}
        command = [word.format_map(filled) for word in words]
        if command[0].endswith(".py"):
            command.insert(0, sys.executable)
        ended = run_with_program(server, command, frames, folder=folder or None, errors_apart=False)
    if simulation.frame < frames:
        raise UberSimError(f"the program ended in frame {simulation.frame}: {ended.output[-500:] or 'without a word'}")
