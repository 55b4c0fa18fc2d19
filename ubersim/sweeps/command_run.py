"""A run whose program is a command: a real server on a free port, the program a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.server import Server
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
        _run(server, simulation, command, frames, folder)


def _run(server: Server, simulation: Simulation, command: list[str], frames: int, folder: str) -> None:
    # A group of its own, so that whatever it has started ends with it.
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder or None,
        start_new_session=True,
    ) as program:
        said: list[bytes] = []

        def listen() -> None:
            """A program that ends early also ends the server, which would wait for it."""
            said.append(program.communicate()[0])
            server.stop()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            server.run(frames)
        finally:
            server.close()
            listener.join(5)
            _end(program)
            listener.join(5)
    if simulation.frame < frames:
        text = b"".join(said).decode(errors="replace").strip()[-500:]
        raise UberSimError(f"the program ended in frame {simulation.frame}: {text or 'without a word'}")


def _end(program: subprocess.Popen[bytes]) -> None:
    if program.poll() is None:
        os.killpg(program.pid, signal.SIGKILL)
