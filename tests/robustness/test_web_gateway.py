"""The gateway for browsers under attack: it stays open, it does not hoard, and the server goes on."""

from __future__ import annotations

import base64
import contextlib
import resource
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from tests.helpers.waiting import until
from tests.robustness.machine import Machine
from tests.robustness.test_faults import reset
from tests.robustness.test_scarcity import good_client
from ubersim.errors import UberSimError
from ubersim.transport.address import Address
from ubersim.transport.web_gateway import LONGEST_MESSAGE, WebGateway

TEXT, BINARY, CONTINUED, CLOSE = 1, 2, 0, 8


def knock(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port))


def comes_in(port: int) -> bool:
    """Whether a browser would."""
    with knock(port) as browser, contextlib.suppress(OSError):
        browser.settimeout(5)
        return b"101" in enter(browser, port)
    return False


def enter(browser: socket.socket, port: int) -> bytes:
    """The beginning of a WebSocket, and what the gateway answers."""
    key = base64.b64encode(bytes(16)).decode()
    browser.sendall(
        f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    answer = b""
    while b"\r\n\r\n" not in answer and (more := browser.recv(1)):
        answer += more
    return answer


def piece(kind: int, payload: bytes, *, last: bool = True) -> bytes:
    """A frame as browsers send it, with a mask that changes nothing."""
    return struct.pack("!BBQ4x", kind | (0x80 if last else 0), 0x80 | 127, len(payload)) + payload


@contextlib.contextmanager
def gateway_to_nowhere() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A browser that is in, and what a server behind the gateway would read from."""
    with (
        socket.create_server(("127.0.0.1", 0)) as behind,
        WebGateway(Address("127.0.0.1", behind.getsockname()[1]), 0) as gateway,
        knock(gateway.port) as browser,
    ):
        browser.settimeout(60)
        assert b"101" in enter(browser, gateway.port)
        server, _ = behind.accept()
        with server:
            server.settimeout(60)
            yield browser, server


def read(server: socket.socket, count: int) -> bytes:
    came = b""
    while len(came) < count and (data := server.recv(count - len(came))):
        came += data
    return came


def test_a_message_is_no_larger_than_the_gateway() -> None:
    """Nothing of it is kept: the browser is told so as soon as it has said how large it is."""
    with gateway_to_nowhere() as (browser, server):
        whole = bytes(range(256)) * (LONGEST_MESSAGE // 256)
        browser.sendall(piece(BINARY, whole))
        assert read(server, len(whole)) == whole
        browser.sendall(piece(BINARY, bytes(LONGEST_MESSAGE + 1))[:100])
        assert read(browser, 4)[2:] == struct.pack("!H", 1009)  # too big
        browser.shutdown(socket.SHUT_WR)
        assert server.recv(1) == b""


def test_pieces_of_a_message_do_not_wait_for_its_end() -> None:
    """A message of endless empty pieces has no size, and no end."""
    with gateway_to_nowhere() as (browser, server):
        browser.sendall(piece(TEXT, b"<Client>", last=False) + piece(CONTINUED, b"", last=False) * 5000)
        assert read(server, 8) == b"<Client>"
        browser.sendall(piece(CONTINUED, b"</Client>", last=False))
        assert read(server, 9) == b"</Client>"


def test_few_descriptors_close_no_gateway() -> None:
    machine = Machine("--clients", 1, "--web-port", 0, limits={resource.RLIMIT_NOFILE: 64})
    gateway = machine.read_port()
    with good_client(machine):
        crowd = [knock(gateway) for _ in range(100)]
        time.sleep(0.3)  # so that they are accepted, as far as that goes
        for stranger in crowd:
            reset(stranger)
        until(lambda: comes_in(gateway))


def test_garbage_at_the_gateway() -> None:
    machine = Machine("--clients", 1, "--web-port", 0)
    gateway = machine.read_port()
    with good_client(machine):
        for said in (b"\0" * 5000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000, b"GET / HTTP/1.1\r\nHost: [\r\n\r\n"):
            with knock(gateway) as stranger, contextlib.suppress(OSError):
                stranger.sendall(said)
        until(lambda: comes_in(gateway))


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UberSimError, match=f"cannot listen on 127.0.0.1:{port}: Address already in use"):
            WebGateway(Address("127.0.0.1", 1), port)
