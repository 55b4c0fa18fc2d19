"""The way to a server, for every kind of client."""

from __future__ import annotations

import socket


def reach(host: str, port: int) -> socket.socket:
    """A connection that sends at once; where nobody listens, the error says what to do."""
    try:
        connection = socket.create_connection((host, port))
    except ConnectionRefusedError as error:
        where = f"there is no server at {host}:{port}; `ubersim serve` starts one"
        raise ConnectionRefusedError(error.errno, where) from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
