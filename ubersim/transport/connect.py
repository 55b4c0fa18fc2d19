"""The way to a server, for every kind of client."""

from __future__ import annotations

import socket
import time

from ubersim.transport.address import Address, check_host
from ubersim.transport.unix_socket import connect_to, is_unix, path_of

UNREACHABLE = 30
"""After so long without a sign of the other machine the connection counts as lost [s]."""


def open_connection(host: str, port: int, wait: float = 0.0) -> socket.socket:
    """A connection that sends at once; where no server listens, the error says what to do.

    `wait`: for so long it is tried again, while a server starts [s].
    """
    check_host(host)
    path = path_of(host)
    deadline = time.monotonic() + wait
    while True:
        try:
            connection = socket.create_connection((host, port)) if path is None else connect_to(path)
            break
        except ConnectionRefusedError as error:
            if time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            where = f"there is no server at {Address(host, port)}; `ubersim serve` starts one"
            raise ConnectionRefusedError(error.errno, where) from None
    send_at_once(connection)
    notice_loss(connection)
    return connection


def notice_loss(connection: socket.socket) -> None:
    """Lets the kernel find out that the other machine cannot be reached any more, which otherwise nothing would tell.

    A connection over which nothing goes is looked after from time to time, and what is sent has to be acknowledged.
    A Unix socket ends with the process at its other end.
    """
    if is_unix(connection):
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, UNREACHABLE // 3)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, UNREACHABLE // 6)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * UNREACHABLE)


def send_at_once(connection: socket.socket) -> None:
    """Turns Nagle's algorithm off: it would hold back a small message until the one before is acknowledged."""
    if not is_unix(connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def acknowledge_at_once(connection: socket.socket) -> None:
    """Tells the other side's machine now that its bytes are here, which may be what its next ones wait for."""
    if not is_unix(connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
