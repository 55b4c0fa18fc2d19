"""One supervisor's connection: requests come in, answers and pictures of the truth go out, and nobody waits for it."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ubersim.description.document import parse
from ubersim.description.value_types import NAME_PATTERN
from ubersim.errors import RemoteProtocolError
from ubersim.protocol.connection import MAX_DOCUMENT, MAX_FROM_CLIENT, Connection
from ubersim.protocol.messages import message as message_of
from ubersim.protocol.messages import split

LONGEST_REQUEST = MAX_DOCUMENT + MAX_FROM_CLIENT
"""A robot's document and what is around it [bytes]."""
MOST_REQUESTS = 65_536
"""That may wait for their answers."""
MOST_DRAWINGS = 256
"""That wait for the next picture; of the same name, the newest."""
MOST_UNREAD = 64 * 2**20
"""What may pile up of answers that are not read [bytes]; pictures of the truth do not pile up."""


@dataclass(eq=False)
class Request:
    """What a supervisor wants."""

    line: SupervisorConnection
    verb: str
    id: int
    """The supervisor's own number for it, which the answer repeats."""
    frame: int | None
    """When; None: as soon as possible."""
    arguments: dict[str, Any]

    def done(self, frame: int, **result: Any) -> None:
        """It has been done, in this frame."""
        self.line.answer("Done", {"id": self.id, "frame": frame} | result)

    def failed(self, frame: int, reason: str) -> None:
        """It could not be done."""
        self.line.answer("Failed", {"id": self.id, "frame": frame, "reason": reason})


@dataclass(frozen=True)
class Picture:
    """The truth at one instant, ready to be sent."""

    legend_number: int
    legend: bytes
    """A message that goes before it to whoever does not have this legend yet."""
    opening: bytes
    """`Timestamp`."""
    content: bytes
    """All the rest, to `FrameEnd`."""


@dataclass(frozen=True)
class Watch:
    """What a supervisor wants to see again and again."""

    every: int = 0
    """Frames from one picture to the next; 0: by the clock on the wall."""
    hertz: float = 0.0
    """Pictures per second of real time."""
    sensors: tuple[str, ...] = ()
    """`Robot/Sensor`: whose newest readings are added."""
    contacts: bool = False
    """Whether the contacts are added."""
    forces: str = ""
    """A robot or an object of the world: the forces of the contacts of its bodies are added."""
    drawings: bool = False
    """Whether what clients draw is added."""


class SupervisorConnection(Connection[Request]):
    """Used by two threads: the switchboard's reads and writes, the simulation's answers."""

    def __init__(self, connection: socket.socket, name: str, stuck: Callable[[], None]) -> None:
        super().__init__()
        self.name = name
        self.connection = connection
        self._stuck = stuck
        self.gone = False
        self.stepping: Request | None = None
        """The `Step` that is under way for it."""
        self.waiting: deque[Request] = deque()
        """What comes after that."""
        self.watch: Watch | None = None
        self.next_frame = 0
        """When a picture is due for whoever watches in simulated time."""
        self.next_picture = 0.0
        self.wanted = False
        """For whoever watches by the clock: when the next picture is due, and whether one is due now."""
        self.shown = (-1, -1)
        """What the last picture was of."""
        self._open = 0
        self._lock = threading.Lock()
        self._outgoing = bytearray()
        self._picture: Picture | None = None
        self._legend = -1
        self._drawings: dict[tuple[str, bytes], bytes] = {}
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def answer(self, name: str, content: dict[str, Any]) -> None:
        """Queues an answer, and sends what can be sent without waiting."""
        with self._lock:
            self._open -= 1
        self.say(message_of(name, json.dumps(content).encode()))

    def say(self, message: bytes) -> None:
        """Queues a message."""
        with self._lock:
            self._outgoing += message
            if len(self._outgoing) > MOST_UNREAD:
                self.gone = True
            if not self._write():
                self._stuck()

    def draw(self, robot: str, payload: bytes) -> None:
        """Keeps a drawing for the next picture."""
        key = robot, payload.partition(b"\0")[0]
        with self._lock:
            if key in self._drawings or len(self._drawings) < MOST_DRAWINGS:
                self._drawings[key] = message_of("Draw", robot.encode() + b"\0" + payload)
                self.shown = (-1, -1)  # there is something new to see, even if time stands still

    def show(self, picture: Picture, *, surely: bool = False) -> None:
        """Sends a picture; if the last one is still under way, this one waits, or is replaced by the next."""
        with self._lock:
            if surely:
                self._frame(picture)
            else:
                self._picture = picture
            if not self._write():
                self._stuck()

    @property
    def busy(self) -> bool:
        """Whether there is something to be sent."""
        return bool(self._outgoing) or self._picture is not None

    def write(self) -> None:
        """Sends what can be sent without waiting."""
        with self._lock:
            self._write()

    def _write(self) -> bool:
        """False if the other side does not take more at the moment, or is gone."""
        if self.gone:
            return False
        try:
            while self._outgoing or self._picture is not None:
                if not self._outgoing and self._picture is not None:
                    self._frame(self._picture)
                    self._picture = None
                del self._outgoing[: self.connection.send(self._outgoing)]
        except BlockingIOError:
            return False
        except OSError:
            self.gone = True
        return not self.gone

    def _frame(self, picture: Picture) -> None:
        self._outgoing += b"".join(self._drawings.values())
        self._drawings.clear()
        self._outgoing += picture.opening
        if self._legend != picture.legend_number:
            self._legend = picture.legend_number
            self._outgoing += picture.legend
        self._outgoing += picture.content

    def read(self) -> list[Request]:
        """What has come in."""
        try:
            data = self.connection.recv(1 << 18)
            self.gone = self.gone or not data
            self.receive_data(data)
        except BlockingIOError:
            pass
        except OSError:
            self.gone = True
        return list(self.events())

    def _next(self) -> Request | None:
        body = self._next_body(LONGEST_REQUEST)
        if body is None:
            return None
        with self._lock:
            self._open += 1
        if self._open > MOST_REQUESTS:
            raise RemoteProtocolError(f"more than {MOST_REQUESTS} requests are waiting for their answers")
        verb, payload = split(body)
        arguments = _json(verb, payload)
        number, frame = arguments.pop("id", 0), arguments.pop("frame", None)
        if not _whole(number) or not (frame is None or _whole(frame)):
            raise RemoteProtocolError(f"{verb}: id and frame are whole numbers")
        return Request(self, verb, number, frame, arguments)


def is_supervisor(document: bytes) -> bool:
    """Whether this is no robot's document, but a supervisor's."""
    return b"<Supervisor" in document and parse(document, "<supervisor>").tag == "Supervisor"


def read_supervisor(document: bytes) -> str:
    """The name in a supervisor's document, which holds nothing but settings."""
    root = parse(document, "<supervisor>")
    settings = root.find("CSettings")
    elements = {element.tag for element in (root if settings is None else [*root, *settings])}
    if elements - {"CSettings", "Name", "Token"} or len(root) > 1:
        raise RemoteProtocolError("a Supervisor holds CSettings, with Name and Token, and nothing else")
    name = (root.findtext("CSettings/Name") or "").strip()
    if not re.fullmatch(NAME_PATTERN, name):
        raise RemoteProtocolError("a Supervisor needs CSettings/Name: up to 64 letters, digits, '_', '.' and '-'")
    return name


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _json(verb: str, payload: bytes) -> dict[str, Any]:
    try:
        arguments = json.loads(payload.decode() or "{}")
    except (ValueError, RecursionError) as error:
        raise RemoteProtocolError(f"{verb}: the arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise RemoteProtocolError(f"{verb}: the arguments are not a JSON object")
    return arguments
