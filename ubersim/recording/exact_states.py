"""The state of any frame of a log, to the bit: what was not kept is simulated again, from the nearest frame known."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from ubersim.errors import UberSimError
from ubersim.recording.block import Block, bodies_of, state_of
from ubersim.recording.log import Item, Log, LogInstant
from ubersim.recording.replay import ReplayedRun
from ubersim.simulation.snapshot import Snapshot

FARTHEST = 100_000
"""Frames that are simulated for one that is asked for; for those farther on, what is likely has to do."""
KEPT = 256
"""Snapshots, each of a frame in which a block of the log begins."""


class ExactStates:
    """Follows the log as far as is asked; to go back, it goes on from the nearest snapshot that it took on its way."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._run: ReplayedRun | None = None
        self._items: Iterator[tuple[int, Item]] = iter(())
        self._block: Block | None = None
        self._frame = log.first
        self._snapshots: dict[int, tuple[int, Snapshot]] = {}

    def refined(self, instant: LogInstant) -> LogInstant:
        """The same instant with the states of its frame, if these were not kept and can be found out."""
        frame = instant.frame
        block = self._log.block(self._log.block_at(frame))
        if frame in block.sampled or not block.first <= frame < block.end:
            return instant
        try:
            run = self._at(frame)
        except UberSimError:  # a log that was damaged, or a run that goes another way now
            self._run = None
            return instant
        if run is None:
            return instant
        simulation = run.simulation
        return replace(instant, states=dict(zip(bodies_of(simulation), state_of(simulation.world), strict=True)))

    def _at(self, frame: int) -> ReplayedRun | None:
        """The run in this frame, which is within a block; None if that is too far away."""
        run = self._run
        if run is None or frame < self._frame:
            run = self._rewound(frame)
        if frame - self._frame > FARTHEST:
            return None
        while self._block is None or frame >= self._block.end:
            self._go_on(run)
        run.go(self._block, self._frame, frame)
        self._frame = frame
        return run

    def _go_on(self, run: ReplayedRun) -> None:
        """To the end of the block, and over what happened then to the next one."""
        if self._block is not None:
            run.go(self._block, self._frame, None)
            self._frame = self._block.end
        self._block = None
        for number, item in self._items:
            if isinstance(item, Block):
                self._block, self._frame = item, item.first
                if item.first not in self._snapshots and len(self._snapshots) < KEPT:
                    self._snapshots[item.first] = number, run.simulation.snapshot()
                return
            if (difference := run.apply(item)) is not None:
                raise UberSimError(str(difference))
        raise UberSimError(f"{self._log.path} ends before this frame")

    def _rewound(self, frame: int) -> ReplayedRun:
        """Back to the nearest snapshot with the robots of now, or to the beginning."""
        run, first = self._run, -1
        if run is not None:
            names = list(run.simulation.robots)
            fits = [
                begin
                for begin, (_, snapshot) in self._snapshots.items()
                if begin <= frame and [state["identity"]["name"] for state in snapshot.robots] == names
            ]
            first = max(fits, default=-1)
        number = 0
        if run is None or first < 0:
            run = self._run = ReplayedRun(self._log)
            self._frame = self._log.first
        else:
            number, snapshot = self._snapshots[first]
            run.restore(snapshot)
            self._frame = first
        self._block = None
        self._items = itertools.islice(enumerate(self._log.items()), number, None)
        return run
