"""The way to a server, for every kind of client."""

from __future__ import annotations

import socket

from ubersim.transport.address import Address


def open_connection(host: str, port: int) -> socket.socket:
    """A connection that sends at once; where no server listens, the error says what to do."""
    try:
        connection = socket.create_connection((host, port))
    except ConnectionRefusedError as error:
        where = f"there is no server at {Address(host, port)}; `ubersim serve` starts one"
        raise ConnectionRefusedError(error.errno, where) from None
    send_at_once(connection)
    return connection


def send_at_once(connection: socket.socket) -> None:
    """Turns Nagle's algorithm off: it would hold back a small message until the one before is acknowledged."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
