"""A hostile program, written from docs/protocol.md alone: nothing here knows the package.

Each deed is given how to reach the server, and something that waits until the world has gone on for a while.
"""

from __future__ import annotations

import contextlib
import hashlib
import select
import socket
import struct
import time
from collections.abc import Callable

Reach = Callable[[], socket.socket]
GoesOn = Callable[[], None]
Deed = Callable[[Reach, GoesOn], None]

PLATE = """<Body name="Base"><Box name="Plate"><Mass>2</Mass><XSize>0.3</XSize><YSize>0.4</YSize><ZSize>0.1</ZSize>
<Position><x>0</x><y>0</y><z>0</z></Position><Material>Plastic</Material></Box>
<InclinometerSensor name="Tilt"><Position><x>0</x><y>0</y><z>0</z></Position></InclinometerSensor>{more}</Body>"""
ROBOT = """<Client><CSettings><Name>{name}</Name><Latency>{latency}</Latency>{settings}<Spawn><Position>
<x>{x}</x><y>40</y><z>0.3</z></Position></Spawn></CSettings><Entity><RigidBodies>{body}</RigidBodies></Entity></Client>"""
MESH = """<Mesh name="Large"><Mass>1</Mass><Position><x>0</x><y>0</y><z>1</z></Position><Material>Metal</Material>
<Vertices{hash}>{vertices}</Vertices><Triangles>0 2 1 0 3 2 0 1 3 1 2 3</Triangles></Mesh>"""
CORNERS = "0 0 0 1 0 0 0 1 0 0 0 1 " + "0.25 0.25 0.25 " * 400
TWO = "<Protocol>2</Protocol>"


def robot(name: str, *, latency: int = 0, settings: str = "", more: str = "", x: float = 0.0) -> bytes:
    """A document and its NUL."""
    text = ROBOT.format(name=name, latency=latency, settings=settings, x=x, body=PLATE.format(more=more))
    return text.encode() + b"\0"


def message(component: str, payload: bytes) -> bytes:
    body = component.encode() + b"\0" + payload
    return struct.pack("<I", len(body)) + body


def ack(time: float) -> bytes:
    return message("Ack", struct.pack("<d", time))


class Stream:
    """What the server says."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket, self._came = connection, b""

    def next(self) -> tuple[str, bytes]:
        """Component and payload; empty at the end."""
        length = self._read(4)
        if len(length) < 4:
            return "", b""
        name, _, payload = self._read(struct.unpack("<I", length)[0]).partition(b"\0")
        return name.decode(), payload

    def _read(self, count: int) -> bytes:
        while len(self._came) < count and (data := self._socket.recv(1 << 16)):
            self._came += data
        taken, self._came = self._came[:count], self._came[count:]
        return taken

    def until(self, component: str) -> bytes:
        """The payload of the next message of that name; an error if the server says why there is none."""
        while (found := self.next())[0] != component:
            assert found[0] not in ("Error", ""), found
        return found[1]


def join(reach: Reach, document: bytes) -> tuple[socket.socket, Stream]:
    """A robot that is in the world."""
    connection = reach()
    connection.sendall(document)
    stream = Stream(connection)
    assert stream.next()[0] == "Welcome"
    return connection, stream


def answer(connection: socket.socket, stream: Stream, frames: int, pieces: int = 1 << 16) -> None:
    """Acknowledges so many frames, in pieces of so many bytes."""
    for _ in range(frames):
        now = stream.until("Timestamp")
        stream.until("FrameEnd")
        said = message("Ack", now)
        for start in range(0, len(said), pieces):
            connection.sendall(said[start : start + pieces])


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def pieces_of_one_byte(reach: Reach, goes_on: GoesOn) -> None:
    connection = reach()
    for byte in robot("Pieces", latency=3):
        connection.sendall(bytes([byte]))
    stream = Stream(connection)
    stream.until("Welcome")
    answer(connection, stream, 20, pieces=1)
    connection.close()
    goes_on()


def half_documents(reach: Reach, goes_on: GoesOn) -> None:
    """They stay as they are, while others work."""
    document = robot("Half")
    crowd = [reach() for _ in range(60)]
    for number, connection in enumerate(crowd):
        connection.sendall(document[: number * len(document) // 60])
    goes_on()
    for number, connection in enumerate(crowd):
        (reset if number % 2 else socket.socket.close)(connection)


def no_documents(reach: Reach, goes_on: GoesOn) -> None:
    """Browsers, TLS, white space without an end, nothing but zeros."""
    said = (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b" " * 100_000, bytes(70_000), b"<")
    crowd = [reach() for _ in range(30)]
    for number, connection in enumerate(crowd):
        with contextlib.suppress(OSError):
            connection.sendall(said[number % len(said)])
    goes_on()
    for connection in crowd:
        connection.close()


def without_a_word(reach: Reach, goes_on: GoesOn) -> None:
    """They close when the document is sent, or half of the connection, or reset it."""
    for number in range(12):
        connection = reach()
        connection.sendall(robot(f"Brief{number}", x=3.0 * number))
        (reset, socket.socket.close, lambda one: one.shutdown(socket.SHUT_WR))[number % 3](connection)
        if number % 3 == 2:
            while connection.recv(1 << 16):
                pass
            connection.close()
    goes_on()


def cut_in_the_middle(reach: Reach, goes_on: GoesOn) -> None:
    for number in range(8):
        connection, stream = join(reach, robot(f"Cut{number}", latency=5 * (number % 2), x=3.0 * number))
        answer(connection, stream, 3)
        connection.sendall(ack(0.0)[: 1 + number])
        (reset if number % 2 else socket.socket.close)(connection)
    goes_on()


def twins(reach: Reach, goes_on: GoesOn) -> None:
    """A second robot of the same name, and a third; the first goes on."""
    connection, stream = join(reach, robot("Twin"))
    others = [reach() for _ in range(5)]
    for other in others:
        other.sendall(robot("Twin", x=9.0))
    # Who waits is looked at between frames, so the frames have to go on until every one of them has been told.
    while len(select.select(others, [], [], 0)[0]) < len(others):
        answer(connection, stream, 1)
    for other in others:
        assert Stream(other).next()[0] == "Error"
        other.close()
    answer(connection, stream, 10)
    connection.close()
    goes_on()


def old_acks_and_sleep(reach: Reach, goes_on: GoesOn) -> None:
    """One answers with the same old ack for ever, one says nothing, one half closes and reads nothing: the timeout."""
    old, stream = join(reach, robot("Old"))
    asleep = reach()
    asleep.sendall(robot("Asleep", x=5.0))
    answer(old, stream, 1)
    with contextlib.suppress(OSError):
        while True:  # until it is dropped
            old.sendall(ack(0.0))
            time.sleep(0.001)
    goes_on()
    old.close()
    asleep.close()


def floods(reach: Reach, goes_on: GoesOn) -> None:
    """Megabytes of all that may be said without an ack, then it vanishes."""
    said = (
        message("Draw", b"a\0{}"),
        message("Log", b"a\0\1" + bytes(8)),
        message("Log", b"a\0\x82" + bytes(60_000)),
        message("Declare", b'{"name": "on", "kind": "bool", "value": false}'),
        message("Cancel", b"\0" + struct.pack("<d", 1e9)),
        message("Timestamp", struct.pack("<d", 900.0)) + message("Tilt", struct.pack("<If", 0, 50.0)),
        message("Client", struct.pack("<If", 0, 5.0)),
    )
    for number, what in enumerate(said):
        connection, _ = join(reach, robot(f"Flood{number}", latency=1, settings=TWO, x=3.0 * number))
        connection.settimeout(0.5)
        with contextlib.suppress(OSError):
            connection.sendall(what * (2_000_000 // len(what)))
        reset(connection)
    goes_on()


def meshes_by_hash(reach: Reach, goes_on: GoesOn) -> None:
    """The whole once, then its hash, one that nobody knows, one that is none, half an upload, and many."""
    known = hashlib.blake2b(CORNERS.encode(), digest_size=16).hexdigest()
    whole = MESH.format(hash="", vertices=CORNERS)
    named = [MESH.format(hash=f' hash="{one}"', vertices="") for one in (known, "0" * 32, "x" * 32, known[:-1])]
    named = [text.replace("></Vertices>", "/>") for text in named]
    half = reach()
    half.sendall(robot("Half", more=whole)[:5000])
    first, _ = join(reach, robot("Whole", more=whole))
    first.close()
    for number, more in enumerate([named[0], *named, *named[:1] * 20, named[0] * 3]):
        connection = reach()
        connection.sendall(robot(f"Named{number}", more=more, x=3.0 * (1 + number)))
        answered = Stream(connection).next()[0]
        assert answered == ("Welcome" if more == named[0] else "Error"), (number, answered)
        connection.close()
    goes_on()
    reset(half)


DEEDS: tuple[Deed, ...] = (
    pieces_of_one_byte, half_documents, no_documents, without_a_word, cut_in_the_middle, twins, floods, meshes_by_hash,
)  # fmt: skip
