"""The door for browsers under attack: it stays open, and what happens there is no reason for the server to end."""

from __future__ import annotations

import base64
import contextlib
import resource
import socket
import time

from tests.helpers.waiting import until
from tests.robustness.machine import Machine
from tests.robustness.test_faults import reset
from tests.robustness.test_scarcity import good_client


def knock(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port))


def comes_in(port: int) -> bool:
    """Whether a browser would."""
    with knock(port) as browser, contextlib.suppress(OSError):
        browser.settimeout(5)
        key = base64.b64encode(bytes(16)).decode()
        browser.sendall(
            f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        return b"101" in browser.recv(100)
    return False


def test_few_descriptors_close_no_door() -> None:
    machine = Machine("--clients", 1, "--web-port", 0, limits={resource.RLIMIT_NOFILE: 64})
    door = machine.read_port()
    with good_client(machine):
        crowd = [knock(door) for _ in range(100)]
        time.sleep(0.3)  # so that they are accepted, as far as that goes
        for stranger in crowd:
            reset(stranger)
        until(lambda: comes_in(door))


def test_garbage_at_the_door() -> None:
    machine = Machine("--clients", 1, "--web-port", 0)
    door = machine.read_port()
    with good_client(machine):
        for said in (b"\0" * 5000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000, b"GET / HTTP/1.1\r\nHost: [\r\n\r\n"):
            with knock(door) as stranger, contextlib.suppress(OSError):
                stranger.sendall(said)
        until(lambda: comes_in(door))
