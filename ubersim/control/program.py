"""What a program needs of its robot, wherever that is: on a server, in the same process, in a log, in the room."""

from __future__ import annotations

from typing import Protocol

from ubersim.protocol.frames import Frame, Value
from ubersim.timing.program_clock import ProgramClock


class ProgramRobot(Protocol):
    """The one API of programs; `RemoteRobot`, `LocalRobot` and `LogRobot` have it."""

    name: str
    """The robot's name in its world."""
    step: float
    """Length of a frame [s]."""

    @property
    def frame(self) -> Frame | None:
        """The frame that the program looked at last; None before the first."""

    def read(self, sensor: str) -> Value | None:
        """The newest reading so far, or one value of it; None before the first."""

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component; it takes the robot's latency."""

    def next_frame(self) -> Frame | None:
        """The next frame, when all that was commanded since the last one has been said; None: there are no more."""

    @property
    def clock(self) -> ProgramClock[Frame]:
        """Simulated time, sleep and interval timers."""

    def close(self) -> None:
        """The program is done."""
