"""The digest file of a run: one line `FRAME HEX` per frame, to compare two runs bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TextIO

from ubersim.simulation.observer import Observer
from ubersim.simulation.snapshot import Snapshot


class Digested(Protocol):
    """What has a digest: a simulation."""

    frame: int

    def digest(self) -> str:
        """A hash of every body's position, orientation and velocities."""


class DigestWriter(Observer):
    """Writes the digest of every frame as it is when its step is taken."""

    def __init__(self, simulation: Digested, file: TextIO) -> None:
        self._simulation = simulation
        self._file = file
        self.next_frame = simulation.frame

    def settled(self, frame: int) -> None:
        self.write(frame, [self._simulation.digest()])

    def write(self, first: int, digests: Sequence[str]) -> None:
        """The digests of frames, one after the other."""
        self._file.writelines(f"{frame} {digest}\n" for frame, digest in enumerate(digests, first))
        self.next_frame = first + len(digests)

    def restored(self, snapshot: Snapshot, before: int) -> None:
        self.next_frame = self._simulation.frame
