"""One program's connection to a real robot: frames that go out, commands that come in."""

from __future__ import annotations

import socket

from ubersim.components.commandable import payload_size
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.protocol import Error, Welcome
from ubersim.protocol.messages import encode
from ubersim.protocol.server_lane import ACK, STAMP, CommandReader
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import CLIENT, Command, Robot
from ubersim.timing.latency import frame_at
from ubersim.timing.lockstep import MAX_BYTES, MAX_COMMANDS
from ubersim.transport.connect import notice_loss

MOST_UNREAD = 1 << 20
"""What may wait for a program that does not read; then frames are left out [bytes]."""
_BUFFER = 1 << 16


class PortSession:
    """It never waits. What goes wrong is the reason in `gone`."""

    def __init__(self, connection: socket.socket, robot: Robot, step: float, frame: int, early: bytes = b"") -> None:
        """In this frame, the program has sent its document, and perhaps something after it."""
        self.gone = ""
        """Why the program leaves; empty while all is well."""
        self._socket, self._robot, self._step = connection, robot, step
        self._reader = CommandReader(robot.settable())
        self._outgoing = bytearray()
        self._stamp = 0
        self._held: list[tuple[int, Command]] = []
        notice_loss(connection)
        about = {key: value for key, value in introduction_of(robot).items() if key != "protocol"}
        self._outgoing += encode(Welcome.introducing(about, step=step, frame=frame + 1))
        self._flush()
        self._understand(early, frame)

    def fileno(self) -> int:
        return self._socket.fileno()

    def release(self) -> tuple[socket.socket, bytes]:
        """The connection, which somebody else has to close, and what is left to be sent; with it, what was wrong."""
        return self._socket, bytes(self._outgoing)

    def send(self, frame: bytes | bytearray) -> None:
        """Sends a frame, if the program reads what it is sent; else it is left out."""
        if len(self._outgoing) < MOST_UNREAD:
            self._outgoing += frame
            self._flush()

    def receive(self, frame: int) -> None:
        """Takes what has come, in this frame."""
        try:
            data = self._socket.recv(_BUFFER)
        except BlockingIOError:
            return
        except OSError as error:
            self.gone = f"connection lost: {error.strerror}"
            return
        if not data:
            self.gone = "it closed the connection"
            return
        self._understand(data, frame)

    def due(self, frame: int) -> list[Command]:
        """The commands whose stamp has come, in the order of stamps."""
        found = [command for stamp, command in self._held if stamp <= frame]
        self._held = [(stamp, command) for stamp, command in self._held if stamp > frame]
        return found

    def _understand(self, data: bytes, frame: int) -> None:
        try:
            self._take(data, frame)
        except Exception as error:  # whatever it is, it concerns this program alone
            self.gone = str(error) if isinstance(error, UberSimError) else f"this could not be taken: {error!r:.200}"
            self._outgoing += encode(Error(self.gone))

    def _take(self, data: bytes, frame: int) -> None:
        for target, value in self._reader.read(data):
            if target is STAMP:
                self._stamp = frame_at(value, self._step)
            elif target is not ACK and target[0] != CLIENT:
                self._robot.check(target, value)
                self._held.append((max(self._stamp, frame), (*target, value)))
        self._held.sort(key=lambda held: held[0])
        if self._reader.error is not None:
            raise self._reader.error
        if len(self._held) > MAX_COMMANDS or sum(payload_size(command) for _, command in self._held) > MAX_BYTES:
            raise RemoteProtocolError(f"too many commands wait for their stamp: {len(self._held)}")

    def _flush(self) -> None:
        try:
            del self._outgoing[: self._socket.send(self._outgoing)]
        except BlockingIOError:
            pass
        except OSError as error:
            self.gone = f"connection lost: {error.strerror}"
