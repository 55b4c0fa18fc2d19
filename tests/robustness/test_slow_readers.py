"""Clients that read slowly get all of their frames, whole, and hold up the server no more than they have to."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.documents import vector
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.protocol import Ack, ClientConnection, FrameEnd, Timestamp
from ubersim.server import closing_connections, session
from ubersim.transport import lingering_close

LIDAR = f'<LidarSensor name="Scan">{vector("Position", 0, 0, 0.3)}<Beams>5000</Beams><Range>5</Range></LidarSensor>'
SIZE = 4 * 5000
FRAMES = 600
"""12 MB: more than the kernel keeps for a connection."""


def scanner(latency: int) -> str:
    """Each of its frames has 20 kB."""
    return cart(latency=str(latency)).replace("</InclinometerSensor>", f"</InclinometerSensor>{LIDAR}")


def test_the_server_waits_instead_of_dropping(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The latency lets it run hundreds of frames ahead, which is more than may lie about."""
    monkeypatch.setattr(session, "MOST_UNREAD", 5 * SIZE)
    serving = serve(FRAMES, clients=1)
    client = RawClient(serving.port, scanner(latency=FRAMES))
    client.welcome()
    time.sleep(2.0)
    (waiting,) = serving.server.clients.sessions.values()
    assert len(waiting._outgoing) < 8 * SIZE
    assert serving.simulation.frame < FRAMES
    frames = 0
    while (frame := client.frame()) is not None:
        frames += 1
        if frames < FRAMES:
            client.send(Ack(frame[0]))
    assert frames == FRAMES
    serving.result()


def test_a_client_that_never_reads_is_dropped_by_the_timeout(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MOST_UNREAD", 5 * SIZE)
    notes: list[str] = []
    serving = serve(clients=1, timeout=0.5, note=notes.append)
    client = RawClient(serving.port, scanner(latency=10_000))
    until(lambda: any("left" in note for note in notes))
    assert "does not read" in notes[-1]
    client.close()


def test_the_end_of_a_run_cuts_no_frame(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the client longer to read the rest than a connection may stand still, or a stopped server waits."""
    monkeypatch.setattr(lingering_close, "STALLED", 3.0)
    monkeypatch.setattr(closing_connections, "IN_TOTAL", 1.0)
    serving = serve(FRAMES, clients=1)
    client = RawClient(serving.port, scanner(latency=FRAMES))
    wire, times, ends = ClientConnection(), 0, 0
    while data := client.socket.recv(1 << 16):
        time.sleep(0.02)
        wire.receive_data(data)
        for event in wire.events():
            times += isinstance(event, Timestamp)
            ends += isinstance(event, FrameEnd)
    assert (times, ends, wire.trailing_data) == (FRAMES, FRAMES, b"")
    serving.result()
    client.close()


def test_a_second_signal_ends_the_wait_for_slow_clients(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server at the end of its frames waits for as long as it takes, unless it is told to stop."""
    monkeypatch.setattr(lingering_close, "STALLED", math.inf)
    serving = serve(FRAMES, clients=1)
    client = RawClient(serving.port, scanner(latency=FRAMES))
    client.welcome()
    while not serving.server._closing:
        time.sleep(0.01)
    time.sleep(0.5)
    assert serving.is_running
    serving.server.stop()
    serving.result()
    client.close()
