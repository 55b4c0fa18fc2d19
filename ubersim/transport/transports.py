"""Transports other than TCP: each is a file, and an entry here; a host that begins with its prefix means it."""

from __future__ import annotations

import socket
from typing import Protocol

from ubersim.transport.unix_socket import UnixSocket


class Transport(Protocol):
    """A kind of stream sockets whose addresses are a text without a port."""

    @property
    def prefix(self) -> str:
        """What its hosts begin with, such as `unix:`."""

    @property
    def stays_here(self) -> bool:
        """Whether nothing but programs of the same user on the same machine can reach it."""

    def check(self, host: str) -> None:
        """Refuses what cannot be a host of its own, before anything is done with it."""

    def connect(self, host: str) -> socket.socket:
        """A connection; a ConnectionRefusedError where no server listens."""

    def listen(self, host: str, backlog: int) -> socket.socket:
        """A listening socket, which keeps so many connections until they are accepted."""

    def carries(self, connection: socket.socket) -> bool:
        """Whether a socket that is not TCP is one of its own."""

    def host_of(self, listener: socket.socket) -> str:
        """What clients have to be told to reach it."""


TRANSPORTS: tuple[Transport, ...] = (UnixSocket(),)


def transport_of(host: str) -> Transport | None:
    """The transport that a host means; None: it is a machine, reached by TCP."""
    return next((found for found in TRANSPORTS if host.startswith(found.prefix)), None)


def transport_under(connection: socket.socket) -> Transport | None:
    """The transport of a socket; None: it is TCP, with its settings, and may lose what is on its way."""
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        return None
    return next(found for found in TRANSPORTS if found.carries(connection))
