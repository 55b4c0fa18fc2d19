"""The client's hot loop: frames from bytes and commands to bytes, the same as `connection` in less time."""

from __future__ import annotations

import struct

from ubersim.errors import LocalProtocolError, ProtocolError, RefusedError, RemoteProtocolError
from ubersim.protocol.connection import MAX_FROM_CLIENT, MAX_FROM_SERVER, ClientConnection
from ubersim.protocol.events import Ack, Actuation, Command, Draw, End, Error, FromServer, Reading, Timestamp, Welcome
from ubersim.protocol.messages import LENGTH, TIME, encode, message
from ubersim.protocol.server_lane import ACK_HEAD, FRAME_END, STAMP_HEAD
from ubersim.protocol.welcome import VERSION

Frame = tuple[float, list[tuple[str, bytes]]]
"""Time of a frame [s] and its readings: name and payload. A sensor may have several in one frame."""

LONGEST_FRAME = 513 * 2**20
"""Bytes of a frame: more than the server keeps for one robot."""
MOST_READINGS = 2**20
"""Readings of a frame."""

_VALUE = struct.Struct("<f")
_OPENED = encode(Timestamp(0.0))
_MANY_NAMES = 1024


class FrameReader:
    """Frames, from everything that the server sends after `Welcome`."""

    def __init__(self, limit: int = MAX_FROM_SERVER, version: int = VERSION) -> None:
        self.error: ProtocolError | RefusedError | None = None
        """What came after the last frame returned; nothing comes after it."""
        self.end: End | None = None
        """Why no more frames come, if the server has said so."""
        self._limit = limit
        self._welcome = encode(Welcome(protocol=version, name="", step=1.0, frame=0))
        self._chunks: list[bytes] = []
        self._gathered = 0
        self._needed = 0
        self.time = 0.0
        """Of the last frame that has begun [s]."""
        self._open = 0  # bytes of the frame whose end has not come
        self._readings: list[tuple[str, bytes]] | None = None
        self._names: dict[bytes, str] = {}

    def read(self, data: bytes) -> list[Frame]:
        """Takes bytes, however they were cut; gives the frames that are complete."""
        frames: list[Frame] = []
        if self._chunks:
            # A large picture comes in many pieces; they are joined once, when it is all there.
            self._chunks.append(data)
            self._gathered += len(data)
            if self._gathered < self._needed:
                return frames
            data = b"".join(self._chunks)
            self._chunks.clear()
        if self.error is None and self.end is None:
            try:
                rest = self._parse(data, frames)
            except (ProtocolError, RefusedError) as error:
                self.error = error
            else:
                if rest:
                    self._chunks.append(rest)
                self._gathered = len(rest)
        return frames

    def _parse(self, data: bytes, frames: list[Frame]) -> bytes:
        length_at, time_at = LENGTH.unpack_from, TIME.unpack_from
        names, readings = self._names, self._readings
        start, size = 0, len(data)
        self._needed = 0
        while size - start >= LENGTH.size:
            (length,) = length_at(data, start)
            body = start + LENGTH.size
            end = body + length
            if end > size and length <= self._limit:
                self._needed = end - start
                break
            if readings is None:
                if not data.startswith(STAMP_HEAD, start):
                    event = self._ask_reference(data[start:end], self._welcome)
                    if isinstance(event, End):
                        self.end = event
                        return b""
                (self.time,) = time_at(data, end - TIME.size)
                if self.time - self.time != 0.0:
                    self._ask_reference(data[start:end], self._welcome)
                readings = []
            elif data.startswith(FRAME_END, start):
                frames.append((self.time, readings))
                readings = None
            else:
                nul = data.find(0, body, end)
                name = names.get(data[body:nul]) if nul >= 0 and length <= self._limit else None
                if name is None:
                    name = self._new_name(data[start:end])
                readings.append((name, data[nul + 1 : end]))
            start = end
        self._readings = readings
        self._open = 0 if readings is None else self._open + start
        if self._open > LONGEST_FRAME or (readings is not None and len(readings) > MOST_READINGS):
            raise RemoteProtocolError("the server sends a frame that does not end")
        return data[start:]

    def _new_name(self, message: bytes) -> str:
        event = self._ask_reference(message, self._welcome + _OPENED)
        assert isinstance(event, Reading)
        if len(self._names) >= _MANY_NAMES:
            self._names.clear()
        return self._names.setdefault(event.name.encode(), event.name)

    def _ask_reference(self, message: bytes, before: bytes) -> FromServer:
        reference = ClientConnection(self._limit)
        reference.receive_data(before + message)
        *_, event = reference.events()
        if isinstance(event, Error):
            raise RefusedError(event.text)
        return event


class CommandWriter:
    """A client's messages, gathered so that one send takes them all."""

    def __init__(self) -> None:
        self._heads: dict[tuple[str, int], bytes] = {}
        self._parts: list[bytes] = []

    def command(self, name: str, number: int, value: float) -> None:
        """Sets a property."""
        head = self._heads.get((name, number))
        if head is None or not -3.4e38 < value < 3.4e38:
            message = encode(Command(name, number, value))  # refuses what cannot be sent
            head = self._heads[name, number] = message[: -_VALUE.size]
        self._parts += (head, _VALUE.pack(value))

    def payload(self, name: str, payload: bytes) -> None:
        """Sends a component a payload of its own."""
        message = encode(Actuation(name, payload))
        if len(message) - LENGTH.size > MAX_FROM_CLIENT:
            raise LocalProtocolError(f"a payload of {len(payload)} bytes is too long; a message has {MAX_FROM_CLIENT}")
        self._parts.append(message)

    def stamp(self, time: float) -> None:
        """Says when the commands after it are sent [s]."""
        self._parts.append(encode(Timestamp(time)))

    def mark(self) -> int:
        """Where the next message goes, for `stamp_from`; good until the next `take`."""
        return len(self._parts)

    def stamp_from(self, mark: int, time: float) -> None:
        """Says when the commands since a mark are sent [s], if there are any."""
        if len(self._parts) > mark:
            self._parts.insert(mark, encode(Timestamp(time)))

    def draw(self, drawing: Draw) -> None:
        """Adds something for those who watch."""
        self._parts.append(encode(drawing))

    def message(self, name: str, payload: bytes) -> None:
        """A message whose payload may be of any size."""
        self._parts.append(message(name, payload))

    def ack(self, time: float) -> None:
        """Says that the frame of that time [s] is done with."""
        if time - time != 0.0:
            encode(Ack(time))  # refuses it
        self._parts += (ACK_HEAD, TIME.pack(time))

    def take(self) -> bytes:
        """Everything since the last call."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data
