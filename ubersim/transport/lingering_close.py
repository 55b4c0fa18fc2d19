"""Closes connections so that the last bytes arrive.

A socket that is closed while bytes of the other side lie unread is reset, and a reset discards what was sent last. So
after the last bytes this side shuts down sending only, and goes on reading, without looking at what it reads, until the
other side has closed as well or its time is over.
"""

from __future__ import annotations

import contextlib
import fcntl
import select
import socket
import sys
import termios
import time

from ubersim.transport.transports import transport_under

LONGEST = 2.0
"""How long the other side may take to close when it has all [s]."""
STALLED = 10.0
"""How long it may take nothing of what is left [s]."""
IN_TOTAL = 60.0
"""How long all of it may take, unless there is nothing else to do [s]."""
_TICK = 0.1
_SOON = 0.001


class LingeringClose:
    """One connection that is being closed; never blocks."""

    def __init__(self, connection: socket.socket, last_bytes: bytes = b"") -> None:
        self.connection = connection
        self._rest = memoryview(last_bytes)
        self._shut_down = False
        self._began = self._progress = time.monotonic()
        self._left = self._still_left()
        connection.setblocking(False)

    def expired(self, in_total: float = IN_TOTAL) -> bool:
        """Whether its time is over: it has taken too long, or the other side has taken nothing for a while."""
        now, left = time.monotonic(), self._still_left()
        if left < self._left:
            self._left, self._progress = left, now
        return now - self._progress > (STALLED if left else LONGEST) or now - self._began > in_total

    def _still_left(self) -> int:
        """Bytes that have not reached the other side's machine."""
        return len(self._rest) + underway(self.connection)

    @property
    def sending(self) -> bool:
        """Whether something is left to be sent."""
        return len(self._rest) > 0

    @property
    def rest(self) -> bytes:
        """What is left to be sent."""
        return bytes(self._rest)

    def proceed(self) -> bool:
        """Does what can be done now; False when the other side has closed, or is gone."""
        try:
            if self.sending:
                self._rest = self._rest[self.connection.send(self._rest) :]
            if not self.sending and not self._shut_down:
                self.connection.shutdown(socket.SHUT_WR)
                self._shut_down = True
            while self.connection.recv(1 << 16):
                pass
            return False
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Closes the socket, whatever is left."""
        with contextlib.suppress(OSError):
            self.connection.close()


def leave(connection: socket.socket, last_bytes: bytes) -> None:
    """Sends the last bytes and closes as soon as all that was sent has reached the other side's machine.

    Closed before, with something unread, the connection would be reset, and what is still on its way would be lost;
    not so on a Unix socket, where it lies on the other side at once.
    """
    closing, keeps = LingeringClose(connection, last_bytes), transport_under(connection) is not None
    while not closing.expired() and closing.proceed() and (closing.sending or (not keeps and underway(connection))):
        select.select([connection], [connection] if closing.sending else [], [], _SOON)
    closing.close()


def underway(connection: socket.socket) -> int:
    """Bytes that the other side's machine has not acknowledged."""
    try:
        count = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
    except (OSError, ValueError):  # it is closed
        return 0
    return int.from_bytes(count, sys.byteorder)


def close_after(connection: socket.socket, last_bytes: bytes) -> None:
    """Sends the last bytes and closes, and returns when that is done."""
    closing = LingeringClose(connection, last_bytes)
    while not closing.expired() and closing.proceed():
        select.select([connection], [connection] if closing.sending else [], [], _TICK)
    closing.close()
