"""A command schedule on loan: what the native lane needs to take a client's messages itself, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class LentCommands(Generic[T]):
    """A schedule with a constant latency, on loan."""

    acked: int
    stamp: int
    received: int
    room: int
    """How many more commands may enter before they have to be counted."""
    queue: list[tuple[int, int, T, int]]
    """Frame of execution, number, command, stamp; in this order."""
    held: list[tuple[int, int, T]]
    """Stamp, number, command, of those that wait for their stamp; in this order."""
    minimum: int
    """Frames that every command takes."""
    keeps_order: bool
    latest: int

    def unchanged(self) -> ReturnedCommands[T]:
        """Nothing has become of it."""
        left = len(self.queue)
        return ReturnedCommands(self.acked, self.stamp, self.received, left, 0, [], self.latest, self.held, [])


@dataclass(frozen=True)
class ReturnedCommands(Generic[T]):
    """What has become of it."""

    acked: int
    stamp: int
    received: int
    left: int
    """Of those that were lent in the queue, the last so many are still there."""
    pushed: int
    """How many entered it meanwhile."""
    new: Sequence[tuple[int, T, int]]
    """Frame of execution, command and stamp, of those of them that are still there."""
    latest: int
    held: list[tuple[int, int, T]]
    executions: Sequence[int]
    """Frames of execution of all that entered."""
