"""Other servers that strangers reach: a real robot's port, a log that is replayed. Both live on, whatever comes.

Each runs in a thread of this process, from the first stranger on.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from tests.helpers.raw_client import RawClient
from tests.robustness.chance import chance, damaged_bytes, damaged_json, pick
from tests.robustness.logs import sound
from tests.robustness.programs import document, message, said
from ubersim.control.port_server import PortServer
from ubersim.errors import UberSimError
from ubersim.protocol import Ack, Error
from ubersim.protocol.supervisor_connection import supervisor_document
from ubersim.recording import Log
from ubersim.server import ReplayServer
from ubersim.transport.listen import listen

WISHES = (
    "", "<Timestamps>readings</Timestamps>", "<Timestamps>all</Timestamps>", "<Sensors>Tilt</Sensors>",
    "<Sensors>Tilt Nobody</Sensors>", "<Sensors></Sensors>", "<Loose>true</Loose>", "<Team>home</Team>",
)  # fmt: skip
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Seek", {"to": 5}),
    ("Step", {"frames": 3}),
    ("Pause", {}),
    ("Resume", {}),
    ("Rate", {"rate": 0.0}),
    ("Truth", {"sensors": ["One/Tilt", "One/Eye"], "contacts": True}),
    ("Watch", {"every": 1, "sensors": ["One/Tilt"], "logs": True, "forces": "One", "commands": ["One/Motor"]}),
    ("Scene", {}),
    ("Teleport", {"thing": "Ball", "position": [0.5, 0.5, 1.0]}),
    ("Spawn", {"xml": document("Other")}),
    ("Remove", {"thing": "One"}),
    ("Snapshot", {"label": "a"}),
    ("Restore", {"label": "a"}),
    ("Reset", {}),
    ("Push", {"body": "One/Chassis", "force": [1.0, 2.0, 3.0], "seconds": 0.1}),
    ("Set", {"robot": "One", "component": "Motor", "property": "Vel", "value": 3.0}),
    ("Latency", {"robot": "One", "milliseconds": 5.0}),
    ("SetParameter", {"robot": "One", "name": "gain", "value": 1}),
    ("Parameters", {}),
    ("Referee", {"do": "goal", "side": "home"}),
    ("Player", {"do": "start", "player": "x", "xml": document("Third"), "name": "Third", "options": ["a=b"]}),
    ("Event", {"label": "x"}),
)


class Device:
    """A real robot of the kind that `programs` describes."""

    def readings(self) -> Iterator[tuple[str, Any]]:
        yield "Tilt", 0.1

    def command(self, component: str, name: str, value: float) -> None:
        """Does it."""

    def stop(self) -> None:
        """Is safe."""


@cache
def _port() -> tuple[int, threading.Thread]:
    server = PortServer(Device(), document(), port=0, step=0.001)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    return server.address.port, thread


@cache
def _replayed() -> tuple[int, threading.Thread]:
    path = Path(mkdtemp()) / "run.mcap"
    path.write_bytes(sound())
    listener = listen("127.0.0.1", 0)
    server = ReplayServer(Log(path), listener)
    path.unlink()
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    return listener.getsockname()[1], thread


def _leave(random: Random, connection: socket.socket) -> None:
    if chance(random, 0.3):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def visit_port(random: Random) -> None:
    """A program at a real robot's port: its document, what it says, and how it goes."""
    port, thread = _port()
    wish = pick(random, WISHES)
    text = document().replace("</CSettings>", f"{wish}</CSettings>")
    if chance(random, 0.2):
        text = damaged_bytes(random, text.encode()).decode(errors="replace").replace("\0", "")
    client = RawClient(port, text)
    client.socket.settimeout(0.5)  # what it says may hide its ack, and then it is sent nothing more
    with contextlib.suppress(OSError, UberSimError, StopIteration, AssertionError):
        if not isinstance(next(client._events), Error):
            for _ in range(random.choice([1, 3])):
                frame = client.frame()
                now = 0 if frame is None else round(frame[0] / 0.001)
                client.socket.sendall(b"".join(said(random, now) for _ in range(random.choice([0, 1, 5]))))
                if frame is not None:
                    client.send(Ack(frame[0]))
    _leave(random, client.socket)
    assert thread.is_alive(), "the robot's loop has ended"


def supervise_replay(random: Random) -> None:
    """A supervisor of a log asks for things, with something wrong in them; then another one is answered."""
    port, thread = _replayed()
    connection = socket.create_connection(("127.0.0.1", port))
    with contextlib.suppress(OSError):
        connection.settimeout(0.5)  # a step that takes for ever is not waited for
        connection.sendall(supervisor_document("odd") + b"\0")
        count, answered = random.choice([1, 4, 12]), b""
        for number in range(count):
            verb, arguments = pick(random, QUESTIONS)
            given = damaged_json(random, arguments) if chance(random, 0.6) else arguments
            given = {**given, "id": number} if isinstance(given, dict) else given
            asked = message(verb, json.dumps(given).encode(errors="replace"))
            connection.sendall(damaged_bytes(random, asked) if chance(random, 0.1) else asked)
        while f'"id": {count - 1},'.encode() not in answered and (data := connection.recv(1 << 16)):
            answered = answered[-20:] + data
    _leave(random, connection)
    _is_answered(port)
    assert thread.is_alive(), "the log's server has ended"


def _is_answered(port: int) -> None:
    """Somebody who asks a plain question, and goes back to the beginning."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(60)
        connection.sendall(supervisor_document("plain") + b"\0")
        connection.sendall(message("Pause", b"{}") + message("Seek", b'{"to": 3}') + message("Event", b'{"id": 77}'))
        answered = b""
        while b'"id": 77' not in answered:
            data = connection.recv(1 << 16)
            assert data, f"no answer: {answered[-300:]!r}"
            answered = (answered + data)[-5000:]
