"""Who computes when. In lockstep a frame's packages go through all processes before the frame is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ubersim.control.layout import ROBOT, Layout
from ubersim.control.mailboxes import Mailboxes
from ubersim.control.parameters import Logged
from ubersim.control.workers import CycleResult, InlineWorker, ProcessWorker, Worker
from ubersim.protocol.parameters import Declaration, ParameterValue


class Coordinator(Protocol):
    """Readings in, commands out."""

    def cycle(self, packages: list[object], settings: Mapping[str, ParameterValue]) -> list[object]:
        """A frame's packages go to the processes; what has come for the robot by now comes back."""

    def news(self) -> tuple[list[Declaration], list[Logged]]:
        """What was declared and logged since the last time."""

    def close(self) -> None:
        """Ends all processes."""


class Lockstep:
    """Each process has its three phases once in a frame, those that make packages before those that take them.

    So the result depends on readings and parameters alone, and is that of one process for all, as long as no two
    processes need each other in one frame and none blocks.
    """

    def __init__(self, layout: Layout, *, spawn: bool = True) -> None:
        """`spawn`: several processes get a process of the operating system each; else all are computed here."""
        self._boxes = Mailboxes(layout)
        self._levels = layout.levels()
        self._changed: dict[str, dict[str, ParameterValue]] = {name: {} for name in layout.processes}
        self._declared: list[Declaration] = []
        self._logged: list[Logged] = []
        self._workers: dict[str, Worker] = {}
        try:
            for name, process in layout.processes.items():
                alone = spawn and len(layout.processes) > 1
                self._workers[name] = ProcessWorker(process) if alone else InlineWorker(process)
            for worker in self._workers.values():
                self._hear(worker.result())
        except BaseException:
            self.close()
            raise

    def cycle(self, packages: list[object], settings: Mapping[str, ParameterValue]) -> list[object]:
        for changed in self._changed.values():
            changed |= settings
        self._boxes.begin_cycle()
        self._boxes.post(packages)
        for level in self._levels:
            ready = [name for name in level if self._boxes.may_compute(name)]
            for name in ready:
                self._workers[name].begin(self._boxes.take(name), self._changed[name])
                self._changed[name] = {}
            for name in ready:
                self._hear(self._workers[name].result())
        return self._boxes.take(ROBOT).now

    def news(self) -> tuple[list[Declaration], list[Logged]]:
        news = self._declared, self._logged
        self._declared, self._logged = [], []
        return news

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()

    def _hear(self, result: CycleResult) -> None:
        self._boxes.post(result.made)
        self._declared += result.declared
        self._logged += result.logged
