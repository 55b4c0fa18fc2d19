"""The way to a server, for every kind of client."""

from __future__ import annotations

import socket
import struct
import time

from ubersim.transport.address import Address, check_host
from ubersim.transport.transports import transport_of, transport_under

UNREACHABLE = 30
"""After so long without a sign of the other machine the connection counts as lost [s]."""

_TCP_INFO = struct.Struct("=2xB21xI28xI")
"""Of Linux's `tcp_info`: retransmits, unacked, last_ack_recv [ms]."""
_REPEATED = 3
"""Times that the same was sent in vain, at least: a machine that lives answers, even if its program is busy."""


def open_connection(host: str, port: int, wait: float = 0.0) -> socket.socket:
    """A connection that sends at once; where no server listens, the error says what to do.

    `wait`: for so long it is tried again, while a server starts [s].
    """
    check_host(host)
    transport = transport_of(host)
    deadline = time.monotonic() + wait
    while True:
        try:
            connection = transport.connect(host) if transport else socket.create_connection((host, port))
            break
        except ConnectionRefusedError as error:
            if time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            where = f"there is no server at {Address(host, port)}; `ubersim serve` starts one"
            raise ConnectionRefusedError(error.errno, where) from None
        except socket.gaierror as error:
            raise socket.gaierror(error.errno, f"no machine is called {host!r}: {error.strerror}") from None
    send_at_once(connection)
    notice_loss(connection)
    return connection


def notice_loss(connection: socket.socket) -> None:
    """Lets the kernel find out that the other machine cannot be reached any more, which otherwise nothing would tell.

    A connection over which nothing goes is looked after from time to time; of one over which something is on its way
    `is_unreachable` tells. TCP_USER_TIMEOUT would do so by itself, but it also ends connections to programs that
    live and do not read for that long, such as one in a debugger. A Unix socket ends with the process at its other end.
    """
    if transport_under(connection) is not None:
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, UNREACHABLE // 3)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, UNREACHABLE // 6)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)


def is_unreachable(connection: socket.socket) -> bool:
    """Whether something was sent again and again, and the other machine has given no sign for too long."""
    if transport_under(connection) is not None:
        return False
    return _is_silent(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size))


def _is_silent(info: bytes) -> bool:
    repeated, unacknowledged, silence = _TCP_INFO.unpack(info)
    return bool(repeated >= _REPEATED and unacknowledged and silence > 1000 * UNREACHABLE)


def send_at_once(connection: socket.socket) -> None:
    """Turns Nagle's algorithm off: it would hold back a small message until the one before is acknowledged."""
    if transport_under(connection) is None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def acknowledge_at_once(connection: socket.socket) -> None:
    """Tells the other side's machine now that its bytes are here, which may be what its next ones wait for."""
    if transport_under(connection) is None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
