"""What programs log goes to those who listen: the recorder, and supervisors who watch it. The simulation never looks.

Each program has a budget per frame; what is beyond it is dropped, and a line says so once per frame. Entries that are
not whole yet have the same budget once more, however many frames they take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ubersim.protocol.log_entries import LogEntry, LogParts, log_entry
from ubersim.protocol.parameters import Declaration
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot

BUDGET = 2**20
"""What a program may log in one frame, unless the server says otherwise [bytes]."""
LEAST = 256
"""What a message counts at least, of that: the smallest entry takes time, too, which all others wait for [bytes]."""

Forward = Callable[[str, float, LogEntry], None]
"""Robot, time [s], entry."""


class ProgramLogs:
    """All programs of one server."""

    def __init__(
        self, simulation: Simulation, forward: Forward, has_listeners: Callable[[], bool], budget: int = BUDGET
    ) -> None:
        """`forward` sends an entry to the supervisors who watch; `has_listeners`: whether there are such."""
        self._simulation = simulation
        self._forward = forward
        self._has_listeners = has_listeners
        self._budget = budget
        self._parts: dict[str, LogParts] = {}
        self._used: dict[str, tuple[int, int]] = {}  # frame, and bytes in it

    @property
    def listened(self) -> bool:
        """Whether it makes sense to log anything."""
        return self._has_listeners() or any(observer.hears_programs for observer in self._simulation.observers)

    def declare(self, robot: str, frame: int, parameter: Declaration) -> None:
        """A program has declared a parameter, while it thought about that frame."""
        for observer, of in self._listeners(robot):
            observer.declared(of, frame, parameter)

    def take(self, robot: str, frame: int, payload: bytes) -> None:
        """A message of a program, while it thought about that frame; refuses what is no entry."""
        parts = self._parts.setdefault(robot, LogParts(self._budget))
        used_in, used = self._used.get(robot, (frame, 0))
        cost = max(len(payload), LEAST)
        used = (used if used_in == frame else 0) + cost
        self._used[robot] = frame, used
        if used > self._budget:
            parts.drop(payload)
            if used - cost <= self._budget:
                text = f"more than {self._budget} bytes in one frame, at least {LEAST} an entry; the rest is dropped"
                self._tell(robot, frame, log_entry("dropped", text, level="warning"))
        elif (entry := parts.take(payload)) is not None:
            self._tell(robot, frame, entry)

    def held(self, robot: str) -> int:
        """What waits for the rest of its entries [bytes]."""
        return self._parts[robot].held if robot in self._parts else 0

    def forget(self, robot: str) -> None:
        """Its program has gone."""
        self._parts.pop(robot, None)
        self._used.pop(robot, None)

    def _tell(self, robot: str, frame: int, entry: LogEntry) -> None:
        for observer, of in self._listeners(robot):
            observer.logged(of, frame, entry)
        self._forward(robot, frame * self._simulation.step_size, entry)

    def _listeners(self, robot: str) -> Iterator[tuple[Observer, Robot]]:
        """Who hears what programs say, and whose program it is."""
        if robot in self._simulation.robots:
            of = self._simulation.robots[robot]
            yield from ((observer, of) for observer in self._simulation.observers if observer.hears_programs)
