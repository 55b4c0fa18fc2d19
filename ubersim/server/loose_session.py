"""One client that the world does not wait for: its commands count when they arrive, and it sees what it is in time for.

As in section 3 of the Middle-size paper: it is the task of the program to keep up. Such a run does not repeat by
itself, for what arrives when is a matter of the machines; its log has the frames in which commands were executed, so
its replay is exact. All other clients stay in lockstep with the world.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from ubersim.errors import RemoteProtocolError
from ubersim.server.session import Session
from ubersim.timing.latency import NEVER
from ubersim.timing.sparse_frames import SparseFrames

_MOST_RECEIVED = 4
"""Receives in one frame: more than that of a client waits for the next."""


class LooseSession(Session):
    """It allows every frame: what its client has said when a frame is sent counts as an answer to it."""

    loose: ClassVar[bool] = True
    frames: SparseFrames | None = None
    """Which its client has asked for; None: all."""

    @property
    def sparse(self) -> bool:  # type: ignore[override]  # of others the class says it
        """Whether it is not sent every frame."""
        return self.frames is not None

    def passes_over(self, frame: int, readings: Sequence[tuple[str, bytes]]) -> bool:
        """Whether its client has asked not to be sent a frame like this; what it has said is taken all the same."""
        if self.frames is None or self.frames.tells(frame, readings=bool(readings)):
            return False
        self.queue(frame, b"", b"")
        return True

    def queue(self, frame: int, data: bytes | bytearray, plain_answer: bytes) -> None:
        """Sends the frame, unless the client has yet to take an older one; takes what it has said."""
        self.flush()
        if self._outgoing:
            self.sent = frame  # it is left out
        else:
            super().queue(frame, data, b"")
        count = 0
        while self.gone is None and count < _MOST_RECEIVED and self.receive(socket.MSG_DONTWAIT):
            count += 1
        self.robot.commands.ack(frame)
        self.allowed = self._allowed()

    def translated(self, time: float, readings: Sequence[tuple[str, bytes]]) -> Sequence[tuple[str, bytes]]:
        """News of parameters wait for a frame that the client takes."""
        self.flush()
        return readings if self._outgoing else super().translated(time, readings)

    def flush(self) -> bool:
        """Sends what is queued, as far as the client takes it now; that something is left concerns no one else."""
        super().flush()
        return False

    @property
    def leaves_at(self) -> int:
        """At once."""
        return self.sent

    def _allowed(self) -> int:
        return NEVER if self.gone is None else self.sent - 1

    def _stamp_at(self, time: float) -> None:
        """A stamp that time has overtaken counts as now."""
        commands = self.robot.commands
        with suppress(RemoteProtocolError):
            commands.stamp_at(time)

    def _ack_at(self, time: float) -> None:
        """Nothing waits for it."""
