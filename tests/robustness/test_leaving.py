"""A client leaves in the frame that its acknowledgements determine, in whatever way its connection ends."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.protocol import Ack
from ubersim.transport.lingering_close import underway

LATENCY = 20
LAST = 300
"""The last frame that is acknowledged."""
LEAVES = LAST + LATENCY + 1
"""The first frame for which it could still have sent a command."""


def close(connection: socket.socket) -> None:
    """With frames that it has not read: its kernel sends a reset."""
    connection.close()


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def half_close(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_WR)


def arrived(connection: socket.socket) -> None:
    """What its kernel still holds back when a connection is reset was never sent."""
    while underway(connection):
        time.sleep(0.001)


def left_in(serve: Callable[..., Any], drive: Callable[[int], None]) -> int:
    """The frame in which the robot of a client left that `drive` is, given the port."""
    last: list[int] = []

    def watch(server: Any) -> None:
        if "Cart" in server.simulation.robots:
            last.append(server.simulation.frame)

    serving = serve(500, clients=2, watch=watch)
    steady = RawClient(serving.port, cart("Steady", x=9.0, latency="40"))
    thread = threading.Thread(target=steady.serve_to_the_end, daemon=True)
    thread.start()
    drive(serving.port)
    serving.result()
    thread.join()
    return last[-1]  # it is seen at the beginning of the frame in which it leaves


@pytest.mark.parametrize("unread", [False, True], ids=["all read", "frames unread"])
@pytest.mark.parametrize("leave", [close, reset, half_close])
def test_whatever_way_it_goes(serve: Callable[..., Any], leave: Callable[[socket.socket], None], unread: bool) -> None:
    def drive(port: int) -> None:
        client = RawClient(port, cart(latency=str(LATENCY)))
        client.welcome()
        for _ in range(LAST + 1):
            frame = client.frame()
            assert frame is not None
            client.send(Ack(frame[0]))
        arrived(client.socket)
        if unread:
            time.sleep(0.05)  # the server runs ahead, and its frames come in
        leave(client.socket)

    assert {left_in(serve, drive) for _ in range(3)} == {LEAVES}


def test_the_python_client(serve: Callable[..., Any]) -> None:
    def drive(port: int) -> None:
        with connect(cart(latency=str(LATENCY)), port=port) as robot:
            for frame in robot:
                robot.set("Motor", "Vel", 1.0)
                if round(frame.time * 1000) == LAST:
                    break  # which is not acknowledged any more

    assert {left_in(serve, drive) for _ in range(4)} == {LEAVES - 1}


def test_many_acks_in_one_piece(serve: Callable[..., Any]) -> None:
    """Sent all at once, and gone: every byte counts, although a send to it fails before they are read."""

    def drive(port: int) -> None:
        client = RawClient(port, cart(latency=str(LATENCY)))
        client.welcome()
        while (frame := client.frame()) is not None and round(frame[0] * 1000) < LATENCY:
            pass
        client.send(*(Ack(number / 1000) for number in range(LATENCY)))
        arrived(client.socket)
        reset(client.socket)

    assert {left_in(serve, drive) for _ in range(4)} == {2 * LATENCY}
