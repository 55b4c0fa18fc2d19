"""What a program logs of what it thinks: numbers, vectors, texts, pictures, points, drawings. Both ways.

The payload of a `Log` message is the entry's name, a NUL byte, a byte with the kind, and what the kind says. An entry
that is longer than a message goes in parts: all but the last have the bit `MORE` in their kind.
"""

from __future__ import annotations

import json
import math
import re
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol.connection import MAX_FROM_CLIENT
from ubersim.protocol.json_object import decode_object
from ubersim.protocol.names import LOG

NUMBER, VECTOR, TEXT, IMAGE, POINTS, DRAWING = range(1, 7)
KINDS = {NUMBER: "number", VECTOR: "vector", TEXT: "text", IMAGE: "image", POINTS: "points", DRAWING: "drawing"}
"""Their names."""
MORE = 0x80
"""Of a kind: this is a part, and the next message of this name has the next one."""
MOST_BEGUN = 1024
"""Entries of a program that may lack their last part."""
LogLevel = Literal["debug", "info", "warning", "error", "fatal"]
LEVELS: tuple[LogLevel, ...] = ("debug", "info", "warning", "error", "fatal")
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,128}")
_NUMBER = struct.Struct("<d")
_PICTURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg"}
_FORMS = {
    NUMBER: "a number has 8 bytes",
    VECTOR: "a vector has 8 bytes for each number",
    TEXT: "a text is UTF-8",
    POINTS: "points have 12 bytes each, after their space",
}
_DRAWN = ("lines", "points", "text", "at", "color", "width")
"""What a drawing may have; places are triples, or pairs of pixels where the space is a camera."""


@dataclass(frozen=True)
class LogEntry:
    """One entry, whole."""

    name: str
    kind: int
    payload: bytes
    """As the kind says."""

    @cached_property
    def value(self) -> Any:
        """A number, an array, a text, the bytes of a picture's file, an array of points, or a drawing's JSON object.

        Read once, for all who ask: the server checks, records and draws the same entry.
        """
        match self.kind:
            case 1:
                return _NUMBER.unpack(self.payload)[0]
            case 2:
                return np.frombuffer(self.payload, "<f8")
            case 3:
                return self.payload[1:].decode()
            case 4:
                return self.payload
            case 5:
                return np.frombuffer(self.payload.partition(b"\0")[2], "<f4").reshape(-1, 3)
        return decode_object("a drawing", self.payload)

    @property
    def level(self) -> LogLevel:
        """Of a text; all else is `info`."""
        return LEVELS[self.payload[0]] if self.kind == TEXT else "info"

    @property
    def space(self) -> str:
        """Where points and drawings are: empty for the world, else the name of a body or a camera of the robot's."""
        if self.kind == POINTS:
            return self.payload.partition(b"\0")[0].decode()
        return str(self.value.get("space", "")) if self.kind == DRAWING else ""

    @property
    def picture_format(self) -> str:
        """Of a picture: `png` or `jpeg`."""
        return next((name for magic, name in _PICTURES.items() if self.payload.startswith(magic)), "")

    def check(self) -> None:
        """Refuses what cannot be read."""
        flaw = ""
        try:
            if self.kind not in range(NUMBER, DRAWING + 1):
                flaw = f"there is no kind {self.kind}"
            elif self.kind == TEXT and (not self.payload or self.payload[0] >= len(LEVELS)):
                flaw = f"a text begins with its level, 0 to {len(LEVELS) - 1}"
            elif self.kind == IMAGE and not self.picture_format:
                flaw = "a picture is a PNG or JPEG file"
            else:
                assert self.value is not None
                assert isinstance(self.space, str)
        except RemoteProtocolError as error:
            flaw = str(error)
        except (struct.error, ValueError):
            flaw = _FORMS[self.kind]
        if flaw:
            raise RemoteProtocolError(f"Log of {self.name}: {flaw}")


def log_entry(name: str, value: Any, *, level: LogLevel = "info", space: str = "", **drawn: Any) -> LogEntry:
    """The entry that says this; its kind is that of the value.

    A number, a sequence of numbers, a text with its `level`, an image (height, width, 3 or 4 bytes each), points (N
    rows of three), the bytes of a PNG or JPEG file, or a mapping with what a drawing has.
    """
    if not _NAME.fullmatch(name):
        raise LocalProtocolError(f"{name[:80]!r} cannot be the name of an entry: 1 to 128 of A-Z a-z 0-9 _ . / -")
    if isinstance(value, str):
        if level not in LEVELS:
            raise LocalProtocolError(f"the level {level!r} is none of {', '.join(LEVELS)}")
        return LogEntry(name, TEXT, bytes([LEVELS.index(level)]) + value.encode("utf-8", "replace"))
    if isinstance(value, Mapping):
        return LogEntry(name, DRAWING, _drawing(name, value, space))
    if isinstance(value, bytes):
        return _file(name, value)
    array = np.asarray(value)
    if array.dtype == np.uint8 and array.ndim == 3:
        from ubersim.png import encode_png  # only who logs pictures needs it

        return LogEntry(name, IMAGE, encode_png(array[:, :, :3]))
    if array.dtype.kind not in "bif":
        raise LocalProtocolError(
            f"{name} cannot be logged: {type(value).__name__} is no number, text, array or drawing"
        )
    if array.ndim == 0:
        return LogEntry(name, NUMBER, _NUMBER.pack(float(array)))
    if array.ndim == 1:
        return LogEntry(name, VECTOR, array.astype("<f8").tobytes())
    if array.ndim == 2 and array.shape[1] == 3:
        return LogEntry(name, POINTS, space.encode() + b"\0" + array.astype("<f4").tobytes())
    raise LocalProtocolError(
        f"{name} cannot be logged: an array of the shape {array.shape} is neither vector nor points"
    )


def _file(name: str, value: bytes) -> LogEntry:
    entry = LogEntry(name, IMAGE, value)
    if not entry.picture_format:
        raise LocalProtocolError(f"{name} cannot be logged: these bytes are no PNG or JPEG file")
    return entry


def _drawing(name: str, value: Mapping[str, Any], space: str) -> bytes:
    if unknown := sorted(set(value) - {*_DRAWN}):
        raise LocalProtocolError(f"a drawing has no {', '.join(unknown)}; it has {', '.join(_DRAWN)}")
    content = {key: _plain(part) for key, part in value.items()} | ({"space": space} if space else {})
    if {len(_parts(place)) for place in _places(content)} - ({2, 3} if space else {3}):
        raise LocalProtocolError(
            f"the drawing {name} has places that are not x, y, z; pairs are pixels, and need a camera for their space"
        )
    try:
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise LocalProtocolError(f"the drawing {name} has no JSON form: {error}") from None


def _places(drawn: Mapping[str, Any]) -> Iterator[Any]:
    """All that are in a drawing; what should have some and has none counts as one."""
    for line in _parts(drawn.get("lines", [])):
        yield from _parts(line)
    yield from _parts(drawn.get("points", []))
    if "at" in drawn:
        yield drawn["at"]


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def log_payloads(entry: LogEntry) -> list[bytes]:
    """The payloads of the messages that carry it, the only one or part after part."""
    head = entry.name.encode() + b"\0"
    room = MAX_FROM_CLIENT - len(LOG) - 1 - len(head) - 1
    parts = max(1, math.ceil(len(entry.payload) / room))
    kinds: Sequence[int] = [entry.kind | MORE] * (parts - 1) + [entry.kind]
    return [head + bytes([kind]) + entry.payload[i * room : (i + 1) * room] for i, kind in enumerate(kinds)]


class LogParts:
    """Puts entries together from the payloads of messages."""

    def __init__(self, budget: int = sys.maxsize) -> None:
        """`budget`: what all that is not whole yet may take; what is beyond it is dropped [bytes]."""
        self.held = 0
        """What is not whole yet [bytes]."""
        self._budget = budget
        self._begun: dict[str, tuple[int, bytearray | None]] = {}  # None: dropped, up to its last part

    def take(self, payload: bytes) -> LogEntry | None:
        """The entry that is whole now, if one is."""
        name, kind, more, content = _split(payload)
        if not more and name not in self._begun:
            return _checked(LogEntry(name, kind, content))
        begun, data = self._begun.setdefault(name, (kind, bytearray()))
        if begun != kind:
            raise RemoteProtocolError(f"Log of {name}: a part of kind {kind} follows one of kind {begun}")
        if len(self._begun) > MOST_BEGUN:
            raise RemoteProtocolError(f"Log: more than {MOST_BEGUN} entries lack their last part")
        if data is not None and self.held + len(content) > self._budget:
            self.drop(payload)
            return None
        if data is not None:
            data += content
            self.held += len(content)
        if more:
            return None
        del self._begun[name]
        if data is None:
            return None
        self.held -= len(data)
        return _checked(LogEntry(name, kind, bytes(data)))

    def drop(self, payload: bytes) -> None:
        """A message that is not taken: what was begun of its entry is forgotten, and what comes of it is not taken."""
        name, kind, more, _ = _split(payload)
        _, data = self._begun.pop(name, (kind, None))
        self.held -= len(data or b"")
        if more and len(self._begun) < MOST_BEGUN:
            self._begun[name] = kind, None


def _split(payload: bytes) -> tuple[str, int, bool, bytes]:
    """Name, kind, whether there is more to come, and what comes after them."""
    head, nul, rest = payload.partition(b"\0")
    name = head.decode("ascii", "replace")
    if not nul or not rest or not _NAME.fullmatch(name):
        raise RemoteProtocolError(f"Log has a name, NUL and a kind, not {payload[:80]!r}")
    return name, rest[0] & ~MORE, bool(rest[0] & MORE), rest[1:]


def _checked(entry: LogEntry) -> LogEntry:
    entry.check()
    return entry


Points = NDArray[np.float32]
