"""Trials of programs of their own: a real server on a free port, whose time is in the test's hands."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ubersim.client.supervisor import supervise
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.testing.trial import Trial
from ubersim.transport.child_process import end_process

__tracebackhide__ = True  # a failure is in the test's own line; pytest --full-trace shows these, too

PATIENCE = 60.0
"""Real time that programs have to bring their robots, and for which one may be silent before it is dropped [s]."""

FAREWELL = 10.0
"""Real time that a program may take to end after its robot has left [s]."""


class Program:
    """The program under test. What it prints goes to a file, so that it never blocks on it."""

    def __init__(self, command: Sequence[str | os.PathLike[str]], port: int, folder: Path | None) -> None:
        words = [os.fspath(word).format(port=port, host="127.0.0.1") for word in command]
        if words[0].endswith(".py"):
            words.insert(0, sys.executable)
        self.name = " ".join(words)
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the process
        environment = os.environ | {"UBERSIM_PORT": str(port), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT, cwd=folder, env=environment
        )

    def output(self) -> str:
        """What it has printed so far, on both ways."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - 100_000))
        return self._output.read().decode(errors="replace")

    @property
    def ended(self) -> bool:
        """Whether it is no more."""
        return self.process.poll() is not None

    def check(self, when: str) -> None:
        """Fails if it has ended with an error."""
        if self.process.poll():
            raise AssertionError(f"{when} {self.name} ended with exit code {self.process.returncode}\n{self.output()}")

    def close(self) -> None:
        """Ends it, politely first."""
        end_process(self.process, within=5)


class ServedTrial(Trial):
    """A server whose time stands still unless the test lets it go on."""

    def __init__(self, simulation: Simulation, latency: float | None, robots: int) -> None:
        super().__init__(simulation)
        self.programs: list[Program] = []
        self._latency = latency
        self._expected: set[str] = set()
        self._robots = robots
        self._server = Server(simulation, port=0, clients=robots, timeout=PATIENCE)
        self.port = self._server.address[1]
        """Where robots' programs connect to."""
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="server", daemon=True)
        self._thread.start()
        self.supervisor = supervise(port=self.port, name="test")
        self.supervisor.pause()

    def _serve(self) -> None:
        try:
            with self._server:
                self._server.run()
        except BaseException as error:  # it is the test's business
            self._error = error

    def start(self, command: Sequence[str | os.PathLike[str]], folder: Path | None = None) -> Program:
        """Starts a program; `{port}` and `{host}` in its arguments are filled in."""
        program = Program(command, self.port, folder)
        self.programs.append(program)
        return program

    def gather(self) -> None:
        """Waits until the programs have brought their robots; frame 0 has been sent to them."""
        deadline = time.monotonic() + PATIENCE
        while len(self.supervisor.truth().legend["robots"]) < self._robots:
            finished = [program.name for program in self.programs if program.ended]
            for program in self.programs:
                program.check("before it brought its robot")
            if finished or time.monotonic() > deadline:
                said = "\n".join(program.output() for program in self.programs)
                raise AssertionError(f"{', '.join(finished) or 'the programs'} brought no robot\n{said}")
            time.sleep(0.01)
        self._expected = set(self.simulation.robots)
        if self._latency is not None:
            for name in self.simulation.robots:
                self.supervisor.set_latency(name, self._latency)

    def intervene(self, verb: str, **arguments: Any) -> None:
        if verb == "Remove":
            self._expected.discard(arguments["thing"])
        self.supervisor.ask(verb, **arguments)

    def _advance(self, frames: int) -> None:
        self.supervisor.step(frames)
        if not self._expected <= self.simulation.robots.keys():
            self._find_out_why()

    def _find_out_why(self) -> None:
        """A robot has left by itself: its program has ended, or is about to; if with an error, the test fails."""
        self._expected &= self.simulation.robots.keys()
        deadline = time.monotonic() + FAREWELL
        while sum(not program.ended for program in self.programs) > len(self._expected) and time.monotonic() < deadline:
            time.sleep(0.01)
        for program in self.programs:
            program.check(f"at {self.time:.3f} s")

    def close(self) -> None:
        self._server.stop()
        self.supervisor.close()
        for program in self.programs:
            program.close()
        self._thread.join(PATIENCE)
        if self._error is not None:
            raise self._error
