"""Supervisors may ask for everything, but not for all of the server's memory or time; each stands for itself."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError, UberSimError
from ubersim.protocol import Welcome
from ubersim.protocol.supervisor_connection import SupervisorClientEnd, supervisor_document
from ubersim.protocol.supervisor_events import RequestDone
from ubersim.server import outbox, supervisor_connection, supervisor_io
from ubersim.server.supervisor_io import SupervisorIO
from ubersim.supervision import ground_truth
from ubersim.supervision.ground_truth import PictureContent


def request(verb: str, **arguments: Any) -> bytes:
    body = verb.encode() + b"\0" + json.dumps(arguments).encode()
    return struct.pack("<I", len(body)) + body


def supervisors_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "supervisors"}


class RawSupervisor:
    """Says what a test wants it to say."""

    def __init__(self, port: int, early: bytes = b"", holds: int | None = None) -> None:
        """`holds`: what its system keeps for it before it reads [bytes]; else as much as the system likes."""
        self.socket = socket.socket()
        if holds is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, holds)
        self.socket.connect(("127.0.0.1", port))
        self.socket.settimeout(60)
        self.socket.sendall(supervisor_document("raw") + b"\0" + early)
        self.wire = SupervisorClientEnd()

    def answers(self, count: int) -> int:
        """Reads until so many requests are answered; how many were, if the connection ends before."""
        found = 0
        while found < count and (data := self.socket.recv(1 << 16)):
            self.wire.receive_data(data)
            found += sum(isinstance(event, RequestDone) for event in self.wire.events())
        return found


def test_a_flood_in_the_handshake_is_read_by_one_thread(serve: Callable[..., Any]) -> None:
    """A megabyte of requests right after the document, from several at once; all are answered, then others are."""
    others = supervisors_threads()  # of servers of other tests, which are about to end
    serving = serve(clients=0)
    flood = b"".join(request("Event", id=number, label="x" * 100) for number in range(8000))
    crowd = [RawSupervisor(serving.port, flood) for _ in range(4)]
    assert [supervisor.answers(8000) for supervisor in crowd] == [8000] * 4
    assert len(supervisors_threads() - others) == 1
    for supervisor in crowd:
        supervisor.socket.close()
    with supervise(port=serving.port) as world:
        assert world.truth().time >= 0.0


def test_what_one_connection_raises_stays_with_it(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    serving = serve(clients=0)
    read = supervisor_connection.SupervisorConnection.read

    def fails_for_raw(self: Any) -> Any:
        if self.name == "raw":
            raise BufferError("somebody else is reading")
        return read(self)

    monkeypatch.setattr(supervisor_connection.SupervisorConnection, "read", fails_for_raw)
    with supervise(port=serving.port) as world:
        assert RawSupervisor(serving.port).answers(1) == 0
        assert world.truth().time >= 0.0


def test_a_watcher_that_does_not_read_hangs_nothing(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    deaf = RawSupervisor(serving.port, request("Watch", every=1) + request("Resume"))
    with supervise(port=serving.port) as world:
        for _ in range(50):
            world.step(20)
    serving.server.stop()
    serving.result()
    deaf.socket.close()


def test_one_camera_named_often_is_one(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        world.spawn(cart())
        world.watch(every=1, sensors=["Cart/Tilt"] * 1000)
        world.step(2)
        picture = serving.server._supervision._truth.picture(PictureContent(("Cart/Tilt",) * 1000), standing=True)
        assert bytes(picture.content).count(b"Cart/Tilt") == 1


def test_a_picture_has_a_limit(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground_truth, "LARGEST_PICTURE", 3)
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        world.spawn(cart())
        with pytest.raises(UberSimError, match="up to 4 bytes"):
            world.truth(sensors=["Cart/Tilt"])


def test_requests_that_wait_are_limited_and_forgotten_with_their_supervisor(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor_connection, "MOST_REQUESTED", 1_000_000)
    serving = serve(clients=0)
    schedule = serving.server._supervision._schedule
    hoarder = RawSupervisor(serving.port)
    for number in range(200):
        hoarder.socket.sendall(request("Event", id=number, frame=10**12, label="x" * 10_000))
    told = b""
    while data := hoarder.socket.recv(1 << 16):
        told += data
    assert b"1000000 bytes are waiting" in told
    hoarder.socket.close()
    with supervise(port=serving.port) as world:
        world.pause()
        assert schedule._heap == []
        for _ in range(3):
            world.event("later", frame=10**12)
        world.truth()
        assert len(schedule._heap) == 3
    until(lambda: schedule._heap == [])


def test_whoever_reads_late_gets_all_answers(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait while too much has not been read; nothing is cut off for asking much at once."""
    monkeypatch.setattr(outbox, "MOST_UNREAD", 100_000)
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        for number in range(20):
            world.spawn(cart(f"Cart{number}", x=float(number)))
        truths = b"".join(request("Truth", id=number) for number in range(2000))
        asker = RawSupervisor(serving.port, truths, holds=1 << 16)
        first = asker.answers(1)
        (connection,) = (one for one in serving.server._supervisors.connections if one.name == "raw")
        until(lambda: connection.waiting and connection._outbox.congested)
        world.truth()
        assert connection.waiting and len(connection._outbox._data) < 200_000
        assert first + asker.answers(2000 - first) == 2000
        asker.socket.close()


def test_the_end_of_a_run_cuts_no_answer(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        for number in range(20):
            world.spawn(cart(f"Cart{number}", x=float(number)))
        scenes = b"".join(request("Scene", id=number) for number in range(399))
        asker = RawSupervisor(serving.port, scenes + request("Remove", id=399, thing="Cart0"), holds=1 << 16)
        first = asker.answers(1)
        until(lambda: "Cart0" not in serving.server.simulation.robots)  # then all scenes have been told
        connections = serving.server._supervisors.connections
        until(lambda: any(one.name == "raw" and one.is_writing for one in connections))
    serving.server.stop()
    time.sleep(0.5)
    assert first + asker.answers(401) == 400
    asker.socket.close()
    serving.result()


@pytest.mark.parametrize("others", [0, 1])
def test_who_comes_while_the_server_closes_is_refused(others: int) -> None:
    """Or it would be waited for by nobody, and wait for ever itself."""
    closed: list[socket.socket] = []
    supervisors = SupervisorIO(lambda: None, lambda connection, _: closed.append(connection))
    welcome = Welcome(name="late", step=0.001, frame=0, supervisor=True)
    before = supervisors_threads()
    pairs = [socket.socketpair() for _ in range(others + 1)]
    for here, _ in pairs[:others]:
        supervisors.connect(here, welcome, b"")
    supervisors.close()
    late, there = pairs[-1]
    with pytest.raises(UberSimError, match="the server ends"):
        supervisors.connect(late, welcome, b"")
    assert supervisors.connections == [] and len(closed) == others and supervisors_threads() <= before
    there.setblocking(False)
    with pytest.raises(BlockingIOError):  # not even welcomed
        there.recv(1)
    for pair in pairs:
        for end in pair:
            end.close()


def test_supervisors_and_their_requests_are_counted(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_connection, "MOST_REQUESTS", 10)
    monkeypatch.setattr(supervisor_io, "MOST_SUPERVISORS", 1)
    port = serve(clients=0).port
    hoarder = RawSupervisor(port)
    assert hoarder.socket.recv(1)  # its welcome: it is here
    with pytest.raises(RefusedError, match="1 supervisors are here already"):
        supervise(port=port)
    hoarder.socket.sendall(b"".join(request("Event", id=number, frame=10**12, label="x") for number in range(11)))
    told = b""
    while data := hoarder.socket.recv(1 << 16):
        told += data
    assert b"more than 10 requests are waiting for their answers" in told
    hoarder.socket.close()


def test_a_picture_that_cannot_be_made_concerns_the_one_who_watches(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as other, supervise(port=serving.port) as watcher:
        other.pause()
        watcher.watch(every=1)
        assert watcher.next_truth() is not None
        with monkeypatch.context() as broken:
            broken.setattr(serving.server._supervision._truth, "picture", lambda *_, **__: 1 / 0)
            other.step(1)
            with pytest.raises(RefusedError, match=r"could not show this: ZeroDivisionError"):
                watcher.next_truth()
        assert other.truth().frame == serving.simulation.frame
