"""Connections that are being closed, beside others that the same thread serves."""

from __future__ import annotations

import contextlib
import select
import socket
import threading

from ubersim.transport.lingering_close import IN_TOTAL, LingeringClose


class ClosingConnections:
    """`add` is for any thread, the rest for the one that polls."""

    def __init__(self, poll: select.poll) -> None:
        self.in_total = IN_TOTAL
        """How long each may take [s]."""
        self._poll = poll
        self._lock = threading.Lock()
        self._new: list[LingeringClose] = []
        self._closing: dict[int, LingeringClose] = {}

    def __len__(self) -> int:
        return len(self._closing)

    def __contains__(self, descriptor: object) -> bool:
        return descriptor in self._closing

    def add(self, connection: socket.socket, last_bytes: bytes = b"") -> None:
        """Delivers the last bytes and closes the connection, without anything waiting for it."""
        with self._lock:
            self._new.append(LingeringClose(connection, last_bytes))

    def begin(self) -> None:
        """Takes over what was added."""
        with self._lock:
            new, self._new = self._new, []
        for closing in new:
            self._closing[closing.connection.fileno()] = closing
            self._proceed(closing)

    def proceed(self, descriptor: int) -> None:
        """Something can be read or written."""
        self._proceed(self._closing[descriptor])

    def expire(self) -> None:
        """Ends those whose time is over."""
        for closing in [closing for closing in self._closing.values() if closing.expired(self.in_total)]:
            self._end(closing)

    def _proceed(self, closing: LingeringClose) -> None:
        if closing.proceed():
            self._poll.register(closing.connection, select.POLLIN | (select.POLLOUT if closing.sending else 0))
        else:
            self._end(closing)

    def _end(self, closing: LingeringClose) -> None:
        del self._closing[closing.connection.fileno()]
        with contextlib.suppress(KeyError):  # it may end before it had to be waited for
            self._poll.unregister(closing.connection)
        closing.close()
