"""An observer that keeps what programs log."""

from __future__ import annotations

from ubersim.protocol.log_entries import LogEntry
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot


class Heard(Observer):
    """Hears what programs log."""

    hears_programs = True

    def __init__(self) -> None:
        self.entries: list[tuple[int, LogEntry]] = []

    def logged(self, robot: Robot, frame: int, entry: LogEntry) -> None:
        self.entries.append((frame, entry))
