"""The server waits for what brings it on: time without progress counts, whatever is said in it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.client.supervisor import supervise
from ubersim.protocol import Ack, Timestamp
from ubersim.protocol.drawings import drawing
from ubersim.protocol.messages import encode
from ubersim.server import client_sessions
from ubersim.server.native_lane import Lane
from ubersim.transport.connect import UNREACHABLE

TALK = {
    "an old ack": encode(Ack(0.0)),
    "a stamp": encode(Timestamp(0.5)),
    "a drawing": encode(drawing("here", points=[[0.0, 0.0, 0.0]])),
}


@pytest.fixture(params=TALK)
def talker(request: pytest.FixtureRequest, serve: Callable[..., Any]) -> Any:
    """A server, and a client that says something every 20 ms and never acknowledges frame 1."""
    serving = serve(clients=1, timeout=0.0, lane="native")
    client = RawClient(serving.port, cart())
    client.welcome()
    client.frame()
    client.send(Ack(0.0))
    over = threading.Event()

    def talk() -> None:
        while not over.wait(0.02):
            try:
                client.socket.sendall(TALK[request.param])
            except OSError:
                return

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    yield serving, client
    over.set()
    thread.join()
    client.close()


def test_a_supervisor_is_answered(talker: Any) -> None:
    serving, _ = talker
    with supervise(port=serving.port) as world:
        assert world.truth().frame == 1


def test_the_server_can_be_stopped(talker: Any) -> None:
    serving, _ = talker
    time.sleep(0.1)
    serving.server.stop()
    serving.result()


@pytest.mark.parametrize("lane", ["python", "native"])
@pytest.mark.parametrize("talk", TALK)
def test_talk_is_no_answer(serve: Callable[..., Any], talk: str, lane: Lane) -> None:
    serving = serve(clients=1, timeout=0.5, lane=lane)
    assert "0.5 s" in last_words(serving.port, TALK[talk])


def test_who_watches_does_not_prolong_it(serve: Callable[..., Any]) -> None:
    serving = serve(clients=1, timeout=0.5)
    with supervise(port=serving.port) as world:
        world.watch(hertz=50.0)
        assert "0.5 s" in last_words(serving.port, b"")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """By which the server measures silence: `ahead` is how far it is ahead of the real one [s]."""
    made = SimpleNamespace(ahead=0.0)
    made.monotonic = lambda: time.monotonic() + made.ahead
    monkeypatch.setattr(client_sessions, "time", made)
    return made


def test_time_that_stands_still_does_not_count(serve: Callable[..., Any], clock: SimpleNamespace) -> None:
    serving = serve(clients=1, timeout=60.0)
    with supervise(port=serving.port) as world:
        client = RawClient(serving.port, cart())
        client.welcome()
        client.frame()
        time.sleep(0.15)  # so that it is waited for
        world.pause()
        clock.ahead += 100.0
        time.sleep(0.15)
        world.resume()
        time.sleep(0.15)
        client.send(Ack(0.0))
        assert client.frame() is not None
        client.close()


def last_words(port: int, talk: bytes) -> str:
    """What a client is told that acknowledges frame 0 and then says the same for ever."""
    client = RawClient(port, cart())
    client.welcome()
    client.frame()
    client.send(Ack(0.0))
    said: list[str] = []
    waiting = threading.Thread(target=lambda: said.append(client.error()), daemon=True)
    waiting.start()
    while waiting.is_alive():
        time.sleep(0.002)
        with contextlib.suppress(OSError):
            client.socket.sendall(talk)
    return said[0]


def test_slow_answers_are_answers(serve: Callable[..., Any], clock: SimpleNamespace) -> None:
    """Each brings the server on, although the whole takes longer than the timeout."""
    serving = serve(12, clients=1, timeout=60.0)
    client = RawClient(serving.port, cart(latency="10"))
    client.welcome()
    for _ in range(12):
        frame = client.frame()
        assert frame is not None
        time.sleep(0.15)
        clock.ahead += 20.0
        client.send(Ack(frame[0]))
    client.close()
    serving.result()


def test_a_cut_cable_is_noticed(serve: Callable[..., Any]) -> None:
    """By the kernel, which is told to look: no wait is for ever for a machine that cannot be reached."""
    serving = serve(clients=1)
    client = RawClient(serving.port, cart())
    client.welcome()
    (session,) = serving.server.clients.sessions.values()
    connection = socket.socket(fileno=os.dup(session.fileno()))
    with connection:
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        idle, interval, count = (
            connection.getsockopt(socket.IPPROTO_TCP, option)
            for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
        )
        assert idle + interval * count <= UNREACHABLE
        # It would also end the connection to a program that stands in a debugger.
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 0
    client.close()
