"""One client's connection while its robot is in the world."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

from ubersim.errors import RemoteProtocolError
from ubersim.protocol import Error, Welcome
from ubersim.protocol.fast import ACK, STAMP, CommandReader, FrameWriter
from ubersim.protocol.messages import encode
from ubersim.robot import CLIENT, Robot
from ubersim.server.lobby import Lobby

TICK = 0.1
"""How long a receive may block [s] before somebody looks at the clock again."""
MOST_UNREAD = 256 * 2**20
"""What may pile up for a client that acknowledges frames but does not read them [bytes]."""
_BUFFER = 1 << 16
_TIMEVAL = struct.pack("ll", 0, int(TICK * 1e6))


class Session:
    """Frames go out, commands and acks come in. It never raises: what goes wrong is the reason in `gone`."""

    def __init__(
        self, connection: socket.socket, robot: Robot, welcome: dict[str, object], *, lookahead: bool = True
    ) -> None:
        self.robot = robot
        self.gone: str | None = None
        """Why this client is leaving; None while all is well."""
        self._lookahead = lookahead
        self.allowed = self._allowed()
        """The last frame that may be executed as far as this client is concerned."""
        self.sent = robot.commands.acked
        """The last frame that has been put into `send_frame`."""
        self._socket = connection
        self._reader = CommandReader(robot.settable())
        self._writer = FrameWriter()
        self._outgoing = bytearray(encode(Welcome(welcome)))
        connection.setblocking(True)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A timeout in the kernel, not Python's: that one would cost a poll per receive.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIMEVAL)

    def send_frame(self, frame: int, time: float, readings: Sequence[tuple[str, bytes]]) -> None:
        """Queues a frame; `flush` sends it."""
        self.sent = frame
        if self.gone is None:
            self._outgoing += self._writer.frame(time, readings)

    def flush(self) -> None:
        """Sends what is queued, as far as the client takes it now."""
        if not self._outgoing or self.gone is not None:
            return
        try:
            count = self._socket.send(self._outgoing, socket.MSG_DONTWAIT)
        except BlockingIOError:
            count = 0
        except OSError as error:
            self._lost(f"connection lost: {error.strerror}")
            return
        if count == len(self._outgoing):
            self._outgoing.clear()
        else:
            del self._outgoing[:count]
            if len(self._outgoing) > MOST_UNREAD:
                self._lost("it does not read what it is sent")

    def _lost(self, reason: str) -> None:
        self._outgoing.clear()
        self.gone = reason

    @property
    def backlog(self) -> bool:
        """Whether something is still waiting to be sent."""
        return bool(self._outgoing) and self.gone is None

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self, flags: int = 0) -> bool:
        """Takes what has come, waiting up to a tick for it; False if nothing came."""
        try:
            data = self._socket.recv(_BUFFER, flags)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError as error:
            self._lost(f"connection lost: {error.strerror}")
            return False
        if data:
            self.take(data)
        else:
            self._lost("it closed the connection")
        return True

    def take(self, data: bytes) -> None:
        """Understands bytes of the client's."""
        commands = self.robot.commands
        try:
            for target, value in self._reader.read(data):
                if target is ACK:
                    commands.ack_at(value, self.sent)
                elif target is STAMP:
                    commands.stamp_at(value)
                elif target[0] == CLIENT:
                    commands.receive_latency(None, value)
                else:
                    self.robot.check(target, value)
                    commands.receive(None, (*target, value))
            if self._reader.error is not None:
                raise self._reader.error
        except RemoteProtocolError as error:
            self.dismiss(str(error))
        self.allowed = self._allowed()

    def _allowed(self) -> int:
        commands = self.robot.commands
        return commands.horizon if self._lookahead else min(commands.horizon, commands.acked)

    @property
    def leaves_at(self) -> int:
        """The frame in which the robot of a client that has gone is taken out, before it is executed."""
        return self.robot.commands.leave_frame

    def dismiss(self, reason: str) -> None:
        """Tells the client why it has to leave."""
        if self.gone is None:
            self._outgoing += encode(Error(reason))
            self.flush()
            self.gone = reason

    def leave(self, lobby: Lobby) -> None:
        """Ends the connection; what is on its way still arrives."""
        lobby.see_out(self._socket, bytes(self._outgoing))
