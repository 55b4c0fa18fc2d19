"""A recorded run that goes to any of its frames, forwards and backwards: simulated again from the nearest snapshot."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ubersim.errors import UberSimError
from ubersim.recording.block import Block
from ubersim.recording.log import Item, Log
from ubersim.recording.replay import RecordedCommand, ReplayedRun, commands_by_frame
from ubersim.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot

KEPT = 256
"""Snapshots, each of a frame in which a block of the log begins; when there are more, every second is dropped."""
_FEW = 4
"""Frames that are taken one by one."""


class TimeTravel:
    """Follows the log as far as is asked; to go back, it goes on from the nearest snapshot that it took on its way."""

    def __init__(self, log: Log) -> None:
        if "real" in log.facts:
            raise UberSimError(f"{log.path} is a real robot's run: no simulation led to it, so none can repeat it")
        self._log = log
        self._run = ReplayedRun(log)
        self._items: Iterator[tuple[int, Item]] = enumerate(log.items())
        self._block: Block | None = None
        self._commands: dict[int, list[RecordedCommand]] = {}
        self._snapshots: dict[int, tuple[int, Snapshot]] = {}
        self.frame = log.first
        """Where it is, as the log counts frames."""
        self._enter_block()

    @property
    def simulation(self) -> Simulation:
        """The same object all the time; its robots have no sensors that measure."""
        return self._run.simulation

    def close(self) -> None:
        """Gives the world's memory back."""
        self.simulation.close()

    def go(self, frame: int) -> None:
        """To this frame of the log."""
        log = self._log
        if not log.first <= frame <= log.last:
            raise UberSimError(f"{log.path} has the frames {log.first} to {log.last}, not {frame}")
        if frame < self.frame:
            self._rewind(frame)
        while self._block is not None and frame >= self._block.end:
            self._finish_block(self._block)
            if self.frame == log.last:
                return
            self._enter_block()
        if self._block is not None and frame > self.frame:
            self._go_within(self._block, frame)

    def _go_within(self, block: Block, frame: int) -> None:
        if frame - self.frame > _FEW:
            self._run.go(block, self.frame, frame)
        else:
            for number in range(self.frame, frame):
                self._run.take_frame(self._commands.get(number, ()))
        self.frame = frame

    def _finish_block(self, block: Block) -> None:
        if block.end - self.frame <= _FEW:
            self._go_within(block, block.end)
        else:
            self._run.go(block, self.frame, None)
        self.frame, self._block = block.end, None

    def _enter_block(self) -> None:
        """Over what happened to the beginning of the next block."""
        for number, item in self._items:
            if isinstance(item, Block):
                self._block, self.frame = item, item.first
                self._commands = dict(commands_by_frame(item))
                self._keep(number)
                return
            if (difference := self._run.apply(item)) is not None:
                raise UberSimError(str(difference))
        raise UberSimError(f"{self._log.path} ends before this frame")

    def _keep(self, number: int) -> None:
        if self.frame not in self._snapshots:
            if len(self._snapshots) >= KEPT:
                self._snapshots = dict(list(self._snapshots.items())[::2])
            self._snapshots[self.frame] = number, self.simulation.snapshot()

    def _rewind(self, frame: int) -> None:
        """Back to the nearest snapshot with the robots of now, or to the beginning."""
        names = list(self.simulation.robots)
        fits = [
            begin
            for begin, (_, snapshot) in self._snapshots.items()
            if begin <= frame and [state["identity"]["name"] for state in snapshot.robots] == names
        ]
        number = 0
        if fits:
            number, snapshot = self._snapshots[max(fits)]
            self._run.restore(snapshot)
        else:
            self._run.begin_again()
        self._items = itertools.islice(enumerate(self._log.items()), number, None)
        self._enter_block()
