"""A machine that cannot be reached any more, and one whose program does not read."""

from __future__ import annotations

import socket
import struct

import pytest

from tests.helpers.network import cut_cable
from tests.helpers.waiting import until
from ubersim.transport import connect
from ubersim.transport.connect import UNREACHABLE, _is_silent, is_unreachable, notice_loss


def info(repeated: int, unacknowledged: int, silence: float) -> bytes:
    """The beginning of Linux's `tcp_info`: eight bytes, then numbers of 32 bits."""
    numbers = [0] * 13
    numbers[4], numbers[12] = unacknowledged, int(1000 * silence)
    return struct.pack("=8B13I", 1, 0, repeated, 0, 0, 0, 0, 0, *numbers)


@pytest.mark.parametrize(
    ("repeated", "unacknowledged", "silence", "silent"),
    [
        (7, 1, UNREACHABLE + 1, True),
        (7, 1, UNREACHABLE - 1, False),  # it may come back
        (0, 0, 1e6, False),  # nothing was sent: the kernel looks after it
        (0, 1, 1e6, False),  # it was sent just now
        (7, 0, 1e6, False),  # everything has arrived
    ],
)
def test_who_gives_no_sign(repeated: int, unacknowledged: int, silence: float, silent: bool) -> None:
    assert _is_silent(info(repeated, unacknowledged, silence)) is silent


def test_who_does_not_read_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door, socket.create_connection(door.getsockname()) as lazy:
        connection, _ = door.accept()
        with connection:
            notice_loss(connection)
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                while True:
                    connection.send(bytes(1 << 16))
            assert not is_unreachable(connection)
        assert lazy.recv(1)


def test_a_cut_cable_is_noticed_while_something_is_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "UNREACHABLE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as door, socket.create_connection(door.getsockname()) as other:
        connection, _ = door.accept()
        with connection:
            cut_cable(other)
            connection.sendall(b"x")
            assert not is_unreachable(connection)
            until(lambda: is_unreachable(connection))


def test_a_unix_socket_is_there() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert not is_unreachable(one)
