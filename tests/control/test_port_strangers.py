"""Whoever comes to a real robot's port, and however programs behave: it is not held up, and stops when it must."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.helpers.network import become_unreachable
from tests.helpers.raw_client import RawClient
from tests.helpers.waiting import until
from tests.robustness.programs import document, message
from ubersim.client import connect
from ubersim.control import port_handshake
from ubersim.control.port_server import PortServer
from ubersim.control.port_session import PortSession
from ubersim.control.robot_port import RobotTwin
from ubersim.errors import RefusedError
from ubersim.protocol import MAX_DOCUMENT, Ack, Command
from ubersim.simulation.program_logs import ProgramLogs
from ubersim.transport import lingering_close

DOCUMENT = document()
FAR = struct.pack("<d", 1e6)
STEP = 0.002


class Device:
    """Counts."""

    def __init__(self) -> None:
        self.told = self.stopped = 0

    def readings(self) -> Iterator[tuple[str, Any]]:
        yield "Tilt", 0.0

    def command(self, component: str, name: str, value: float) -> None:
        self.told += 1

    def stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def port(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Whoever has to go may take all the time: nothing waits for it."""
    with PortServer(device, DOCUMENT, port=0, step=STEP) as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        monkeypatch.setattr(lingering_close, "LONGEST", 100.0)
        yield server.address.port
        monkeypatch.undo()
        assert thread.is_alive(), "the robot's loop has ended"
        server.stop()
        thread.join()


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("it never happens")


def stopped(device: Device, times: int) -> None:
    """Waits until it was, so often."""
    wait_for(lambda: device.stopped == times)


def works(client: RawClient, device: Device) -> None:
    """It is told of time, and the robot does what it says."""
    before = device.told
    for _ in range(20):
        frame = client.frame()
        assert frame is not None
        client.send(Command("Arm", 2, 1.0), Ack(frame[0]))
    wait_for(lambda: device.told > before)


def test_strangers_who_say_nothing_keep_nobody_out(port: int, device: Device) -> None:
    strangers = [socket.create_connection(("127.0.0.1", port)) for _ in range(port_handshake.MOST_PENDING - 2)]
    strangers[0].sendall(b"<Client>")
    client = RawClient(port, DOCUMENT)
    client.welcome()
    works(client, device)
    for stranger in strangers:
        stranger.close()
    client.close()


def test_who_is_refused_and_does_not_close_holds_up_nothing(port: int, device: Device) -> None:
    client = RawClient(port, DOCUMENT)
    client.welcome()
    others = [RawClient(port, DOCUMENT) for _ in range(3)]
    for other in others:
        event = next(other._events)
        assert "has a program already" in getattr(event, "text", "")
        works(client, device)
    with socket.create_connection(("127.0.0.1", port)) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\n\r\n\0")
        works(client, device)
    for one in (client, *others):
        one.close()


@pytest.mark.parametrize(
    "fault",
    [
        message("Nobody", bytes(8)),
        b"\xff" * 9,
        message("Declare", b"{"),
        message("Timestamp", FAR) + message("Servo", struct.pack("<3f", 1.0, 0.0, 0.0) * 5000) * 300,
        message("Timestamp", FAR) + message("Arm", struct.pack("<If", 2, 1.0)) * 70_000,
    ],
    ids=["unknown", "garbage", "declare", "payloads", "commands"],
)
def test_a_program_that_has_to_go_stops_the_robot_and_leaves_it_to_the_next(
    port: int, device: Device, fault: bytes
) -> None:
    bad = RawClient(port, DOCUMENT)
    bad.welcome()
    works(bad, device)
    bad.socket.settimeout(60)
    with contextlib.suppress(OSError):
        bad.socket.sendall(fault)
    stopped(device, 1)  # although it has not closed, nor read why
    good = RawClient(port, DOCUMENT)
    good.welcome()
    works(good, device)
    good.close()
    bad.close()


def test_one_that_is_reset_or_never_reads(port: int, device: Device) -> None:
    for number in range(1, 4):
        client = RawClient(port, DOCUMENT)
        client.welcome()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        stopped(device, number)
    with connect(DOCUMENT, port=port) as robot, pytest.raises(RefusedError, match="has a program already"):
        robot.next_frame()
        connect(DOCUMENT, port=port)


def test_who_never_sends_a_document_has_to_go(port: int, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_handshake, "LONGEST", 0.05)
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.settimeout(30)
        assert b"no complete robot document" in stranger.recv(1000)


@contextlib.contextmanager
def handshakes_with(count: int) -> Iterator[tuple[port_handshake.PortHandshakes, list[socket.socket]]]:
    """A port's handshakes, and so many connections to it, accepted."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        handshakes, guests = port_handshake.PortHandshakes(listener), list[socket.socket]()
        for _ in range(count):
            guests.append(stack.enter_context(socket.create_connection(listener.getsockname(), timeout=60)))
            assert list(handshakes.programs([listener])) == []
        yield handshakes, guests
        handshakes.close()


def test_a_guest_that_has_said_nothing_after_all_is_waited_for() -> None:
    with handshakes_with(1) as (handshakes, (guest,)):
        assert list(handshakes.programs(handshakes.waiting)) == [] and len(handshakes.waiting) == 2
        guest.sendall(b"<Client/>\0more")
        found = list[tuple[socket.socket, bytes, bytes]]()
        while not found:
            found += handshakes.programs(handshakes.waiting[1:])
        ((connection, *said),) = found
        connection.close()
        assert said == [b"<Client/>", b"more"] and len(handshakes.waiting) == 1


def test_a_document_without_an_end_is_refused() -> None:
    with handshakes_with(1) as (handshakes, (guest,)):
        endless = threading.Thread(target=lambda: guest.sendall(bytes([32]) * (MAX_DOCUMENT + 1)))
        endless.start()
        while len(handshakes.waiting) > 1:
            assert list(handshakes.programs(handshakes.waiting[1:])) == []
        while endless.is_alive():
            handshakes.tidy()
        handshakes.tidy()
        assert b"Error\0" in guest.recv(1 << 16)


def test_whoever_is_still_at_the_port_when_it_closes_is_told_by_the_end_of_the_connection() -> None:
    with handshakes_with(1) as (handshakes, (guest,)):
        handshakes.close()
        assert guest.recv(1) == b""


def test_a_crowd_at_the_port_is_sent_away() -> None:
    with handshakes_with(port_handshake.MOST_PENDING + 1) as (handshakes, guests):
        assert len(handshakes.waiting) == 1 + port_handshake.MOST_PENDING
        handshakes.tidy()
        assert b"too many programs are connecting at once" in guests[-1].recv(1 << 16)


def test_a_program_whose_machine_cannot_be_reached_any_more_leaves(
    device: Device, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = RawClient(port, DOCUMENT)
    become_unreachable(client, monkeypatch)
    until(lambda: device.stopped)
    client.close()


def test_a_session_waits_for_nothing() -> None:
    """Neither for what a program has yet to say, nor for it to read; what waits to be sent is sent later."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), 60) as program,
    ):
        connection, _ = listener.accept()
        connection.setblocking(False)
        filled = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                filled += connection.send(bytes(1 << 16))
        twin = RobotTwin(DOCUMENT, STEP)
        session = PortSession(connection, twin, ProgramLogs(twin.simulation, lambda *_: None, lambda: False), 0)
        session.receive(1)
        assert session.backlog and session.gone == ""
        read = bytearray()
        while b"Welcome\0" not in read:
            read += program.recv(1 << 16)
            session.flush()
        assert len(read) > filled and not session.backlog
        session.release("stopped", 1, "")[0].close()
