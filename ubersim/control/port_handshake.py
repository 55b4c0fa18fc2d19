"""How programs come to a real robot and leave it: whatever strangers send, the robot is not held up."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Collection, Iterator

from ubersim.errors import UberSimError
from ubersim.protocol import Error, Handshake, ServerConnection
from ubersim.protocol.messages import encode
from ubersim.transport.connect import send_at_once
from ubersim.transport.lingering_close import LingeringClose, close_after

MOST_PENDING = 16
"""Connections that may be on the point of sending their document."""
LONGEST = 10.0
"""How long a program may take to send it [s]."""
_BUFFER = 1 << 16


class PendingProgram:
    """A connection that has not sent all of its document."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.deadline = time.monotonic() + LONGEST
        self._wire = ServerConnection()
        connection.setblocking(False)
        send_at_once(connection)

    def fileno(self) -> int:
        return self.connection.fileno()

    def receive(self) -> tuple[bytes, bytes] | None:
        """Its document, once that is complete, and what it has sent after it; an error if it will never be."""
        try:
            data = self.connection.recv(_BUFFER)
        except BlockingIOError:
            return None
        if not data:
            raise OSError("it closed the connection")
        self._wire.receive_data(data)
        for event in self._wire.events():
            assert isinstance(event, Handshake)  # nothing comes before the document
            return event.document, self._wire.trailing_data
        return None


class PortHandshakes:
    """It never waits: those who come are looked at when they have said something, those who go are let go."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        listener.setblocking(False)
        self._pending: list[PendingProgram] = []
        self._leaving: list[LingeringClose] = []

    @property
    def waiting(self) -> list[PendingProgram | socket.socket]:
        """What there may be something to read from."""
        return [self._listener, *self._pending]

    def programs(self, ready: Collection[object]) -> Iterator[tuple[socket.socket, bytes, bytes]]:
        """Connections whose document is complete, of those that are ready, with it and with what came after it."""
        if self._listener in ready:
            self._accept()
        for guest in [guest for guest in self._pending if guest in ready]:
            try:
                said = guest.receive()
            except OSError:
                self._pending.remove(guest)
                guest.connection.close()
            except UberSimError as error:
                self._pending.remove(guest)
                self.refuse(guest.connection, str(error))
            else:
                if said is not None:
                    self._pending.remove(guest)
                    yield guest.connection, *said

    def tidy(self) -> None:
        """Sends away who takes too long, and goes on with those who leave."""
        now = time.monotonic()
        for guest in [guest for guest in self._pending if now > guest.deadline]:
            self._pending.remove(guest)
            self.refuse(guest.connection, f"no complete robot document within {LONGEST:g} s")
        for leaving in [leaving for leaving in self._leaving if leaving.expired() or not leaving.proceed()]:
            self._leaving.remove(leaving)
            leaving.close()

    def refuse(self, connection: socket.socket, reason: str) -> None:
        """Tells a program why it cannot have the robot."""
        self.let_go(connection, encode(Error(reason)))

    def let_go(self, connection: socket.socket, last_bytes: bytes) -> None:
        """Ends a connection, without anything waiting for it."""
        self._leaving.append(LingeringClose(connection, last_bytes))

    def close(self) -> None:
        """Ends all connections; what is on its way still arrives, if it is read."""
        self._listener.close()
        for guest in self._pending:
            guest.connection.close()
        for leaving in self._leaving:
            close_after(leaving.connection, leaving.rest)
        self._pending, self._leaving = [], []

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # it is gone already, or there are no descriptors left
            connection, _ = self._listener.accept()
            if len(self._pending) < MOST_PENDING:
                self._pending.append(PendingProgram(connection))
            else:
                self.refuse(connection, "too many programs are connecting at once; try again")
