"""Connections that end: the last words are delivered, then they close, without anybody waiting for it.

A socket that is closed while bytes of the other side lie unread is reset, and a reset swallows what was sent last. So
who is to be told why he has to go is listened to, without heed, until he has hung up himself or his time is over.
"""

from __future__ import annotations

import contextlib
import socket
import time

PATIENCE = 2.0
"""How long somebody may take to hang up [s]."""


class LingeringClose:
    """One connection on its way out."""

    def __init__(self, connection: socket.socket, last_words: bytes = b"") -> None:
        self.connection = connection
        self._rest = last_words
        self._silent = False
        self._deadline = time.monotonic() + PATIENCE
        connection.setblocking(False)

    @property
    def over(self) -> bool:
        """Whether its time is over."""
        return time.monotonic() > self._deadline

    @property
    def speaking(self) -> bool:
        """Whether something is left to be said."""
        return bool(self._rest)

    def attend(self) -> bool:
        """Does what can be done now; False when the other side has hung up."""
        try:
            if self._rest:
                self._rest = self._rest[self.connection.send(self._rest) :]
            if not self._rest and not self._silent:
                self.connection.shutdown(socket.SHUT_WR)
                self._silent = True
            while self.connection.recv(1 << 16):
                pass
            return False
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Hangs up."""
        with contextlib.suppress(OSError):
            self.connection.close()
