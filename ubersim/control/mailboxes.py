"""Packages on their way: the newest of each kind for each receiver, and no queue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ubersim.control.layout import ROBOT, Layout


@dataclass(frozen=True)
class Delivery:
    """What a process gets in its first phase."""

    before: list[object]
    """Posted in cycles before this one."""
    now: list[object]
    """Posted in this cycle."""


class Mailboxes:
    """What is there for each process, and for the robot; a newer package takes the place of an older one."""

    def __init__(self, layout: Layout) -> None:
        self._boxes: dict[str, dict[type, tuple[int, object]]] = {name: {} for name in (*layout.processes, ROBOT)}
        self._receivers: dict[type, list[str]] = {}
        self._layout = layout
        self._cycle = 0
        self._blocks = {name: layout.blocks(name) for name in self._boxes}
        self._held = {name: layout.held_by(name) for name in layout.processes}

    def post(self, packages: Iterable[object]) -> None:
        """Sends each package to all that take it."""
        for package in packages:
            kind = type(package)
            if kind not in self._receivers:
                self._receivers[kind] = self._layout.receivers(kind)
            for receiver in self._receivers[kind]:
                box = self._boxes[receiver]
                box.pop(kind, None)  # so that the order is that of the newest
                box[kind] = self._cycle, package

    def may_compute(self, process: str) -> bool:
        """Whether something has come for it, with all that it waits for, and all that it holds has been taken."""
        box = self._boxes[process]
        taken = not any(package in self._boxes[receiver] for package, receiver in self._held[process])
        return bool(box) and taken and self._blocks[process] <= box.keys()

    def begin_cycle(self) -> None:
        """What was posted until now is from before."""
        self._cycle += 1

    def take(self, receiver: str) -> Delivery:
        """All that has come for it; its box is empty then."""
        packages = list(self._boxes[receiver].values())
        self._boxes[receiver].clear()
        return Delivery(
            [package for cycle, package in packages if cycle < self._cycle],
            [package for cycle, package in packages if cycle == self._cycle],
        )
