"""One client that the world does not wait for: its commands count when they arrive, and it sees what it is in time for.

As in section 3 of the Middle-size paper: it is the task of the program to keep up. It is sent a frame when it has
acknowledged the one before; what it did not see meanwhile is in that, as far as it is new. Such a run does not repeat
by itself, for what arrives when is a matter of the machines; its log has the frames in which commands were executed, so
its replay is exact. All other clients stay in lockstep with the world.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

from ubersim.components.sensors.unseen import UnseenReadings
from ubersim.errors import RemoteProtocolError
from ubersim.protocol import Welcome
from ubersim.server.session import CommandedRobot, Session
from ubersim.simulation.robot import Robot
from ubersim.timing.latency import NEVER, frame_at
from ubersim.timing.sparse_frames import SparseFrames

_MOST_RECEIVED = 4
"""Receives in one frame: more than that of a client waits for the next."""


class LooseSession(Session):
    """It allows every frame: what its client has said before a frame is sent counts as an answer to it."""

    loose: ClassVar[bool] = True
    sparse: ClassVar[bool] = True
    frames: SparseFrames | None = None
    """Which its client has asked for; None: all."""

    def __init__(self, connection: socket.socket, robot: Robot, welcome: Welcome, **options: Any) -> None:
        """`options` are those of `Session`."""
        super().__init__(connection, robot, welcome, **options)
        self.translates = True  # a frame has what was missed as well
        self._step = welcome.step
        self._unseen = UnseenReadings({name: channel.description for name, channel in robot.sensors.items()})

    def passes_over(self, frame: int, readings: Sequence[tuple[str, bytes]]) -> bool:
        """Whether its client is busy, or has asked not to be sent a frame like this; what it has said is taken."""
        self._unseen.add(readings)
        self._listen()
        if self._unseen.awaited and (self.frames is None or self.frames.tells(frame, readings=bool(self._unseen))):
            return False
        self.look_for_loss()
        self._is_behind(frame)
        return True

    def translated(self, time: float, readings: Sequence[tuple[str, bytes]]) -> Sequence[tuple[str, bytes]]:
        """Those that were missed are among them."""
        return super().translated(time, self._unseen.take())

    def queue(self, frame: int, data: bytes | bytearray, plain_answer: bytes) -> None:
        """Sends the frame, as far as the client takes it now."""
        super().queue(frame, data, b"")
        self._unseen.sent(frame)
        self.flush()
        self._is_behind(frame)

    def flush(self) -> bool:
        """Sends what is queued, as far as the client takes it now; that something is left concerns no one else."""
        super().flush()
        return False

    @property
    def congested(self) -> bool:
        """Never: it is one frame that it has yet to take."""
        return False

    @property
    def leaves_at(self) -> int:
        """At once."""
        return self.sent

    def go_on_with(self, robot: CommandedRobot) -> None:
        """The robot is as it was in another frame."""
        super().go_on_with(robot)
        self._unseen.forget()

    def _listen(self) -> None:
        self.flush()
        count = 0
        while self.gone is None and count < _MOST_RECEIVED and self.receive(socket.MSG_DONTWAIT):
            count += 1

    def _is_behind(self, frame: int) -> None:
        """The frame may be executed: what comes from now on is for later ones."""
        self.sent = frame
        self.robot.commands.ack(frame)
        self.allowed = self._allowed()

    def _allowed(self) -> int:
        return NEVER if self.gone is None else self.sent - 1

    def _stamp_at(self, time: float) -> None:
        """A stamp that time has overtaken counts as now."""
        commands = self.robot.commands
        with suppress(RemoteProtocolError):
            commands.stamp_at(time)

    def _ack_at(self, time: float) -> None:
        """Nothing waits for it but the client's own next frame."""
        self._unseen.acknowledged(frame_at(time, self._step))
