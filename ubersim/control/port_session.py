"""One program's connection to a real robot: the handshake, frames that go out, commands that come in."""

from __future__ import annotations

import socket

from ubersim.errors import UberSimError
from ubersim.protocol import Error, Handshake, ServerConnection, Welcome
from ubersim.protocol.messages import encode
from ubersim.protocol.server_lane import ACK, STAMP, CommandReader
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import CLIENT, Command, Robot
from ubersim.timing.latency import frame_at
from ubersim.transport.connect import send_at_once
from ubersim.transport.lingering_close import close_after

MOST_UNREAD = 1 << 20
"""What may wait for a program that does not read; then frames are left out [bytes]."""
MOST_HELD = 65_536
"""Commands that may wait for their stamp."""
_BUFFER = 1 << 16


class PortSession:
    """It never waits. What goes wrong is the reason in `gone`."""

    def __init__(self, connection: socket.socket, robot: Robot, step: float) -> None:
        self.gone = ""
        """Why the program leaves; empty while all is well."""
        self._socket, self._robot, self._step = connection, robot, step
        self._wire: ServerConnection | None = ServerConnection()
        self._settable = robot.settable()
        self._reader = CommandReader(self._settable)
        self._outgoing = bytearray()
        self._stamp = 0
        self._held: list[tuple[int, Command]] = []
        connection.setblocking(False)
        send_at_once(connection)

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        """Ends the connection; the program is told why, if it has done something wrong."""
        close_after(self._socket, bytes(self._outgoing))

    def send(self, frame: bytes | bytearray) -> None:
        """Sends a frame, if the program has been welcomed and reads what it is sent; else it is left out."""
        if self._wire is None and len(self._outgoing) < MOST_UNREAD:
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
        try:
            self._take(data if self._wire is None else self._greet(self._wire, data, frame), frame)
        except UberSimError as error:
            self.gone = str(error)
            self._outgoing += encode(Error(self.gone))

    def due(self, frame: int) -> list[Command]:
        """The commands whose stamp has come, in the order of stamps."""
        found = [command for stamp, command in self._held if stamp <= frame]
        self._held = [(stamp, command) for stamp, command in self._held if stamp > frame]
        return found

    def _greet(self, wire: ServerConnection, data: bytes, frame: int) -> bytes:
        """Waits for the whole document, welcomes the program, and returns what it has sent after that."""
        wire.receive_data(data)
        for event in wire.events():
            assert isinstance(event, Handshake)  # nothing else comes first
            about = {key: value for key, value in introduction_of(self._robot).items() if key != "protocol"}
            self._outgoing += encode(Welcome.introducing(about, step=self._step, frame=frame + 1))
            self._flush()
            self._wire = None
            return wire.trailing_data
        return b""

    def _take(self, data: bytes, frame: int) -> None:
        for target, value in self._reader.read(data):
            if target is STAMP:
                self._stamp = frame_at(value, self._step)
            elif target is not ACK and target[0] != CLIENT:
                self._robot.check(target, value)
                if len(self._held) >= MOST_HELD:
                    raise UberSimError(f"more than {MOST_HELD} commands wait for their stamp")
                self._held.append((max(self._stamp, frame), (*target, value)))
        self._held.sort(key=lambda held: held[0])
        if self._reader.error is not None:
            raise self._reader.error

    def _flush(self) -> None:
        try:
            del self._outgoing[: self._socket.send(self._outgoing)]
        except BlockingIOError:
            pass
        except OSError as error:
            self.gone = f"connection lost: {error.strerror}"
