"""Faults of all kinds, with a good client beside: what it is told stays the same to the bit, to the last frame."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.robustness.good_client import GoodClient
from tests.robustness.programs import document, message
from tests.robustness.test_slow_readers import scanner
from tests.robustness.test_supervisors import RawSupervisor, request
from ubersim.protocol import Ack, Command
from ubersim.simulation import Simulation

Fault = Callable[[int], None]
"""Happens to a server, which is given by its port."""


def undisturbed(count: int) -> tuple[int, str]:
    """What the good client is told in so many frames when nothing happens."""
    serving = Serving(Simulation(), count, clients=1)
    good = GoodClient(serving.port)
    serving.result()
    return good.result()


def bad(name: str = "Bad", *, latency: int = 0, x: float = 50.0) -> str:
    return cart(name, x=x, latency=str(latency))


def reset(connection: socket.socket) -> None:
    """As when a cable is cut, and the other end notices."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def frames(client: RawClient, count: int) -> None:
    for _ in range(count):
        frame = client.frame()
        if frame is None:
            return
        client.send(Command("Motor", 2, 3.0), Ack(frame[0]))


def work_until_killed(port: int) -> None:
    client = RawClient(port, bad())
    client.welcome()
    frames(client, 50)
    print("ready", flush=True)
    frames(client, 10**9)


def killed(port: int) -> None:
    """A program that dies without a word."""
    program = f"from tests.robustness import test_faults; test_faults.work_until_killed({port})"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None and client.stdout.readline() == b"ready\n"
        client.kill()


def cut(port: int) -> None:
    """In the middle of a message, several times."""
    for number in range(20):
        client = RawClient(port, bad(f"Cut{number}", latency=10))
        client.welcome()
        frames(client, 10)
        client.socket.sendall(b"\x0f\x00\x00\x00Motor\x00\x02")
        reset(client.socket)


def garbage(port: int) -> None:
    chance = random.Random(1)
    for number in range(40):
        with socket.create_connection(("127.0.0.1", port)) as connection, contextlib.suppress(OSError):
            connection.sendall(chance.randbytes(chance.randrange(1, 5000)))
        client = RawClient(port, bad(f"Garbage{number}"))
        client.welcome()
        client.socket.sendall(chance.randbytes(200))
        client.error()


def slow_reader(port: int) -> None:
    """Reads nothing for a while, then all of it."""
    client = RawClient(port, scanner(latency=300).replace("Cart", "Slow"))
    client.welcome()
    frames(client, 250)
    client.socket.close()


def flood_of_commands(port: int) -> None:
    client = RawClient(port, bad())
    client.welcome()
    flood = b"".join(client.wire.send(Command("Motor", 2, float(number % 7))) for number in range(200_000))
    with contextlib.suppress(OSError):
        client.socket.sendall(flood)
    client.error()


def flood_of_connections(port: int) -> None:
    crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
    for number, connection in enumerate(crowd):
        with contextlib.suppress(OSError):
            connection.sendall(b"<Client>" if number % 2 else b"GET / HTTP/1.1\r\n\r\n")
    for connection in crowd:
        connection.close()


def flood_of_requests(port: int) -> None:
    """Supervisors that ask for much, and go before they have read it; one of them while it watches."""
    flood = b"".join(request("Truth", id=number) for number in range(2000))
    for _ in range(3):
        supervisor = RawSupervisor(port, request("Watch", every=1) + flood)
        supervisor.answers(10)
        reset(supervisor.socket)


def explosion(port: int) -> None:
    """A robot whose own joint tears it apart."""
    client = RawClient(port, bad().replace("<FMax>5</FMax>", "<FMax>1e9</FMax>"))
    client.welcome()
    with contextlib.suppress(OSError), pytest.raises(AssertionError, match="left the finite world"):
        for value in (3e5, -3e5) * 20:
            frame = client.frame()
            assert frame is not None, "the server has ended"
            client.send(Command("Motor", 2, value), Ack(frame[0]))
    client.socket.close()


def crowd_of_programs(port: int) -> None:
    """They ask for all that version 2 has, join while others run, and talk nonsense."""
    wishes = ("", "<Loose>true</Loose>", "<Timestamps>readings</Timestamps>", "<Sensors>Tilt</Sensors>")
    crowd = []
    for number in range(16):
        text = document(f"Program{number}", x=60.0 + 2 * number)
        crowd.append(RawClient(port, text.replace("</CSettings>", f"{wishes[number % 4]}</CSettings>")))
    for number, client in enumerate(crowd):
        said = (
            message("Declare", b"{"),
            b"\xff" * 9,
            message("Log", b"a\0\x82" + bytes(60_000)),
            message("Cancel", b""),
        )
        with contextlib.suppress(OSError):
            client.socket.sendall(said[number // 4])
        reset(client.socket) if number % 2 else client.socket.close()


def flood_of_a_loose_client(port: int) -> None:
    """Nothing waits for it, so nothing keeps it from talking."""
    text = document("Loose", x=60.0).replace("</CSettings>", "<Loose>true</Loose></CSettings>")
    client = RawClient(port, text)
    client.welcome()
    client.socket.settimeout(1)
    with contextlib.suppress(OSError):
        client.socket.sendall(message("Draw", b"") * 200_000)
    client.socket.close()


@pytest.mark.parametrize(
    "fault",
    [
        killed,
        cut,
        garbage,
        slow_reader,
        flood_of_commands,
        flood_of_connections,
        flood_of_requests,
        explosion,
        crowd_of_programs,
        flood_of_a_loose_client,
    ],
    ids=lambda fault: fault.__name__,
)
def test_the_good_client_notices_nothing(fault: Fault) -> None:
    serving = Serving(Simulation(), None, clients=1)
    good = GoodClient(serving.port)
    fault(serving.port)
    serving.server.stop()
    serving.result()
    count, told = good.result()
    assert (count, told) == undisturbed(count)
