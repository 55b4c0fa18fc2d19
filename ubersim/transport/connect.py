"""The way to a server, for every kind of client: a connection, and the token that it may ask for."""

from __future__ import annotations

import socket
from pathlib import Path

from ubersim.errors import UberSimError

LONGEST_TOKEN = 256
"""What a robot's document takes [characters]."""


def open_connection(host: str, port: int) -> socket.socket:
    """A connection that sends at once; where nobody listens, the error says what to do."""
    try:
        connection = socket.create_connection((host, port))
    except ConnectionRefusedError as error:
        where = f"there is no server at {host}:{port}; `ubersim serve` starts one"
        raise ConnectionRefusedError(error.errno, where) from None
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def token_in(file: Path) -> str:
    """The token that a file holds, for those who ask for it and for those who give it."""
    try:
        token = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UberSimError(f"cannot read the token from {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UberSimError(f"{file} holds no token: it is not a text") from None
    if not 0 < len(token) <= LONGEST_TOKEN:
        raise UberSimError(f"{file} holds no token of 1 to {LONGEST_TOKEN} characters")
    return token
