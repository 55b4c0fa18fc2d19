"""The thread of the handshakes: what goes wrong there concerns one connection, and nothing that was said is lost."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.protocol import MAX_DOCUMENT, Command
from ubersim.protocol.properties import AXIS_PROPERTIES
from ubersim.recording import Log, Recorder
from ubersim.server import ReplayOutcome, serve_log
from ubersim.server.handshake import _OpenHandshake
from ubersim.simulation import Simulation

FRAMES = 3
EARLY = Command("Motor", AXIS_PROPERTIES["Vel"], 3.0)


def test_who_waits_to_join_is_let_go_when_the_server_closes(serve: Callable[..., Any]) -> None:
    serving = serve(clients=2)
    waiting = RawClient(serving.port, cart())
    until(lambda: serving.server._handshakes.has_arrivals)
    serving.server.stop()
    serving.result()
    assert waiting.socket.recv(1) == b""


def test_a_document_that_is_read_with_an_unknown_error_is_refused(serve: Callable[..., Any]) -> None:
    serving = serve(None, clients=1)
    handshakes = serving.server._handshakes
    read = handshakes._read_robot

    def fail(document: bytes) -> Any:
        return 1 / 0 if b"Bad" in document else read(document)

    handshakes._read_robot = fail
    bad = RawClient(serving.port, cart("Bad")).error()
    assert bad == "the server could not read this document: ZeroDivisionError('division by zero')"
    RawClient(serving.port, cart("Good")).welcome()


def test_a_connection_that_fails_otherwise_is_closed_and_the_thread_goes_on(serve: Callable[..., Any]) -> None:
    """Be it that there is no memory left for it."""
    serving = serve(None, clients=1)
    handshakes = serving.server._handshakes
    grant = handshakes._grant

    def fail(seconds: float) -> None:
        handshakes._grant = grant
        raise MemoryError

    bad = socket.create_connection(("127.0.0.1", serving.port), timeout=60)
    handshakes._grant = fail
    bad.sendall(b"<Client>")
    assert bad.recv(1) == b""
    RawClient(serving.port, cart()).welcome()


def test_a_connection_that_has_nothing_to_say_yet_is_kept(serve: Callable[..., Any]) -> None:
    serving = serve(None, clients=1)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        serving.server._handshakes._read(_OpenHandshake(ours, MAX_DOCUMENT))
        ours.send(b"still open")
        assert theirs.recv(10) == b"still open"


def live(port: int, *early: Command) -> None:
    """Three frames, to which nothing is said but what came with the document."""
    client = RawClient(port, cart(), early=early)
    client.welcome()
    client.acknowledge(FRAMES)
    assert client.frame() is None


@pytest.mark.parametrize(
    ("now", "difference"), [((EARLY,), ""), ((), "frame 0 (0 s): then Motor.Vel = 3, now no command")]
)
def test_what_comes_with_the_document_counts(tmp_path: Path, now: tuple[Command, ...], difference: str) -> None:
    """On a server, and when the client runs from the log of that."""
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"):
        serving = Serving(simulation, FRAMES, clients=1)
        live(serving.port, EARLY)
        serving.result()
    outcomes: list[ReplayOutcome] = []
    with Log(tmp_path / "a.mcap") as log, socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: outcomes.append(serve_log(log, "Cart", listener, print)), daemon=True)
        thread.start()
        live(listener.getsockname()[1], *now)
        thread.join()
    assert (outcomes[0].frames, outcomes[0].commands, outcomes[0].difference) == (FRAMES, 1, difference)
