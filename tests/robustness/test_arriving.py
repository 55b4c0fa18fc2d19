"""Clients that wait to join: those who have hung up count for nothing, and none takes the others' place or time."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.protocol import Ack
from ubersim.server import admission, handshake
from ubersim.simulation import Simulation


def test_the_dead_are_not_counted(serve: Callable[..., Any]) -> None:
    serving = serve(20, clients=2)
    for _ in range(3):
        RawClient(serving.port, cart("Early")).close()
    time.sleep(0.2)
    first = RawClient(serving.port, cart("Early", x=0.0))
    time.sleep(0.2)
    assert serving.simulation.frame == 0 and not serving.simulation.robots
    second = RawClient(serving.port, cart("Late", x=5.0))
    for client in (first, second):
        client.welcome()
    for _ in range(20):
        for client in (first, second):
            frame = client.frame()
            assert frame is not None
            client.send(Ack(frame[0]))
    serving.result()


def test_half_a_connection_waits_for_nothing(serve: Callable[..., Any]) -> None:
    serving = serve(clients=2)
    client = RawClient(serving.port, cart("Half"))
    client.socket.shutdown(socket.SHUT_WR)
    assert client.socket.recv(1) == b"", "it is let go"


def test_those_who_wait_are_limited(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "MOST_WAITING", 3)
    stuck = serve(clients=1)
    holding_up = RawClient(stuck.port, cart())
    holding_up.welcome()  # it never acknowledges frame 0
    waiting = [RawClient(stuck.port, cart(f"R{number}")) for number in range(3)]
    time.sleep(0.2)
    assert "3 robots are waiting" in RawClient(stuck.port, cart("R3")).error()
    waiting.pop().close()
    time.sleep(0.2)
    waiting.append(RawClient(stuck.port, cart("R4")))
    time.sleep(0.2)
    assert "3 robots are waiting" in RawClient(stuck.port, cart("R5")).error()
    for client in (*waiting, holding_up):
        client.close()


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "OPTIONS", "PUT"])
def test_a_browser_is_refused_at_once(serve: Callable[..., Any], method: str) -> None:
    """Without waiting for a document that would come in the body of the request."""
    serving = serve()
    with socket.create_connection(("127.0.0.1", serving.port)) as browser:
        browser.settimeout(60)
        browser.sendall(f"{method} / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100000\r\n\r\n".encode())
        answer = b""
        while data := browser.recv(4096):
            answer += data
    assert b"Error\0" in answer and b"HTTP" in answer


def test_what_is_no_document_is_refused_at_once(serve: Callable[..., Any]) -> None:
    serving = serve()
    with socket.create_connection(("127.0.0.1", serving.port)) as stranger:
        stranger.settimeout(60)
        stranger.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
        assert b"XML" in stranger.recv(4096)


def test_the_server_s_own_slowness_is_not_the_newcomer_s(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody's document takes longer to read than others have time to send theirs: by a clock that jumps then."""
    late = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + late, sleep=time.sleep)
    monkeypatch.setattr(handshake, "time", clock)
    serving = serve(clients=2)
    handshakes = serving.server._handshakes
    read = handshakes._read_robot

    def slow(document: bytes) -> Any:
        nonlocal late
        if b"Slow" in document:
            late = 10 * handshake.LONGEST
        return read(document)

    handshakes._read_robot = slow
    newcomer = socket.create_connection(("127.0.0.1", serving.port), timeout=60)
    newcomer.sendall(b"<Client>")
    until(lambda: any(one.begun for one in list(handshakes._handshakes.values())))
    slow_one = RawClient(serving.port, cart("Slow"))
    until(lambda: late)
    newcomer.sendall(cart("New").removeprefix("<Client>").encode() + b"\0")
    assert b"Welcome" in newcomer.recv(4096)
    slow_one.close()
    newcomer.close()


def test_a_robot_is_taken_over_by_name_after_a_crash(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        first = RawClient(serving.port, cart())
        first.welcome()
        assert first.frame() is not None
        first.close()
        other = cart().replace("<Mass>2<", "<Mass>3<")
        assert "another document" in RawClient(serving.port, other).error()
        assert "another address" in RawClient(serving.port, cart(), source="127.0.0.2").error()
        second = RawClient(serving.port, cart())
        assert second.welcome().frame == world.truth().frame
        world.resume()
        second.acknowledge(5)
        second.close()


@pytest.mark.parametrize("mass", [2, 3])
@pytest.mark.parametrize("lane", ["python", "native"])
def test_a_robot_leaves_before_another_of_its_name_joins(serve: Callable[..., Any], lane: str, mass: int) -> None:
    """While time goes on it leaves in the frame that its client's acks determine, whoever waits at the door."""
    serving = serve(clients=2, lane=lane)
    steady = RawClient(serving.port, cart("Steady", x=5.0))
    first = RawClient(serving.port, cart(latency="5"))
    for client in (steady, first):
        client.welcome()
        client.acknowledge(3)
    first.socket.shutdown(socket.SHUT_WR)  # all that it said arrives; who closes with frames unread may lose an ack
    second = RawClient(serving.port, cart(latency="5").replace("<Mass>2<", f"<Mass>{mass}<"))
    until(lambda: serving.server._handshakes.waiting)
    steady.acknowledge(6)
    assert second.welcome().frame > 2 + 5, "that frame is the last one that the first one's acks allow"
    for client in (first, second, steady):
        client.close()


def test_a_robot_is_taken_over_by_name_after_a_restore(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0, simulation=Simulation(seed=1))
    with supervise(port=serving.port) as world:
        world.pause()
        first = RawClient(serving.port, cart())
        first.welcome()
        assert first.frame() is not None
        first.send(Ack(world.truth().time))
        world.snapshot("then")
        first.close()
        world.step(3)
        assert "Cart" not in world.truth().legend["robots"]
        world.restore("then")
        second = RawClient(serving.port, cart())
        second.welcome()
        world.resume()
        second.acknowledge(5)
        second.close()


def test_a_living_client_keeps_its_robot(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        first = RawClient(serving.port, cart())
        first.welcome()
        assert first.frame() is not None
        assert "in the world already" in RawClient(serving.port, cart()).error()
        first.close()


def test_a_supervisor_s_robot_is_not_a_client_s(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        world.spawn(cart())
        assert "in the world already" in RawClient(serving.port, cart()).error()


def test_not_every_name_that_ever_was_is_remembered(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MOST_REMEMBERED", 3)
    serving = serve(clients=0, rate=1.0)
    stays = RawClient(serving.port, cart("Stays", x=9.0, latency="60000"))
    stays.welcome()
    for number in range(20):
        client = RawClient(serving.port, cart(f"Cart{number}"))
        client.welcome()
        client.close()
    remembered = serving.server._admission._hosts
    assert "Stays" in remembered and "Cart19" in remembered and len(remembered) < 10
    stays.close()


def test_a_document_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "LONGEST", 0.0)
    serving = Serving(Simulation(), None, clients=1)
    with socket.create_connection(("127.0.0.1", serving.port)) as slow:
        slow.settimeout(30)
        assert b"no complete robot document within 0 s" in slow.recv(1000)
    serving.server.stop()
    serving.result()


def test_those_who_have_yet_to_send_a_document_are_limited(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "MOST_HANDSHAKES", 2)
    port = serve(clients=1).port
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
    assert "too many clients are connecting at once; try again" in RawClient(port, cart()).error()
    for connection in silent:
        connection.close()
