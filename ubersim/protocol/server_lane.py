"""The server's hot loop: the same bytes as `messages` and `connection`, without an object per message."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Sequence
from typing import Any

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol import names
from ubersim.protocol.connection import MAX_FROM_CLIENT, ServerConnection
from ubersim.protocol.events import Ack, Actuation, Command, Draw, FrameEnd, FromClient, Handshake, Reading, Timestamp
from ubersim.protocol.messages import ANY_PAYLOAD, LENGTH, OWN_PAYLOAD, TIME, Components, decode_from_client, encode

Target = tuple[str, int]
"""What a client's message is about: a component and the number of its property (or `OWN_PAYLOAD`), `STAMP` or `ACK`."""
STAMP: Target = (names.TIMESTAMP, 0)
ACK: Target = (names.ACK, 0)

STAMP_HEAD = encode(Timestamp(0.0))[: -TIME.size]
ACK_HEAD = encode(Ack(0.0))[: -TIME.size]
FRAME_END = encode(FrameEnd())
TIME_OF_FRAME = slice(len(STAMP_HEAD), len(STAMP_HEAD) + TIME.size)
"""Where the bytes of a frame have its time."""
_VALUE = struct.Struct("<f")
_MANY_HEADS = 1024
_MANY_DRAWINGS = 64
"""That wait to be taken; older ones are forgotten."""


def reading_head(name: str, size: int) -> bytes:
    """What comes before the payload of a reading of that size."""
    message = encode(Reading(name, bytes(size)))
    return message[: len(message) - size]


class FrameWriter:
    """Frames with whatever readings are due: the constant parts are kept, and all of it is joined in one go."""

    def __init__(self) -> None:
        self._empty = bytearray(STAMP_HEAD + bytes(TIME.size) + FRAME_END)
        self._heads: dict[tuple[str, int], bytes] = {}

    def frame(self, time: float, readings: Sequence[tuple[str, bytes]] = ()) -> bytes | bytearray:
        """The bytes of a frame; they last until the next call."""
        if not readings:
            TIME.pack_into(self._empty, TIME_OF_FRAME.start, time)
            return self._empty
        parts = [STAMP_HEAD, TIME.pack(time)]
        for name, payload in readings:
            parts.append(self._heads.get((name, len(payload))) or self._new_head(name, len(payload)))
            parts.append(payload)
        parts.append(FRAME_END)
        return b"".join(parts)

    def _new_head(self, name: str, size: int) -> bytes:
        if len(self._heads) >= _MANY_HEADS:  # a sensor whose readings vary in size
            self._heads.clear()
        head = self._heads[name, size] = reading_head(name, size)
        return head


class CommandReader:
    """A client's messages as pairs (target, value); the value of a stamp or an ack is its time, of a payload its bytes.

    A command's length, name and property together are the key of one look-up: what is found is valid but for its value.
    Everything that is not found goes to the reference, which has the error messages.
    """

    def __init__(self, components: Components) -> None:
        self.error: RemoteProtocolError | None = None
        """What was wrong with the message after the last one returned; nothing comes after it."""
        self.drawings: deque[bytes] = deque(maxlen=_MANY_DRAWINGS)
        """Payloads of what the client has drawn, to be taken or left."""
        self._components = components
        self._rest = b""
        self._targets: dict[bytes, Target] = {
            encode(Command(name, number, 0.0))[: -_VALUE.size]: (name, number)
            for name, numbers in components.items()
            for number in numbers
            if number not in (OWN_PAYLOAD, ANY_PAYLOAD)
        }

    @property
    def idle(self) -> bool:
        """Whether no part of a message is waiting for its rest, and nothing was wrong so far."""
        return not self._rest and self.error is None

    def take_rest(self) -> bytes:
        """The part of a message that waits for its rest; from now on it is not here."""
        rest, self._rest = self._rest, b""
        return rest

    def command_heads(self) -> dict[bytes, Target]:
        """The bytes that come before the value of each command, for the native lane."""
        return self._targets

    def read(self, data: bytes) -> list[tuple[Target, Any]]:
        """Takes bytes, however they were cut; gives what is complete, up to the first error."""
        found: list[tuple[Target, Any]] = []
        if self.error is not None:
            return found
        if self._rest:
            data = self._rest + data
        length_at, value_at, time_at = LENGTH.unpack_from, _VALUE.unpack_from, TIME.unpack_from
        known, append = self._targets.get, found.append
        start, last = 0, len(data) - LENGTH.size
        while start <= last:
            (length,) = length_at(data, start)
            place = start + length  # of the last four bytes
            if place > last and length <= MAX_FROM_CLIENT:
                break
            target: Target | None
            if data.startswith(ACK_HEAD, start):
                target = ACK
                (value,) = time_at(data, place - 4)
            elif target := known(data[start:place]):
                (value,) = value_at(data, place)
            elif data.startswith(STAMP_HEAD, start):
                target = STAMP
                (value,) = time_at(data, place - 4)
            if target is None or value - value != 0.0:  # unknown, or infinite, or not a number
                try:
                    event = self._ask_reference(data[start : place + LENGTH.size])
                except RemoteProtocolError as error:
                    self.error = error
                    self._rest = b""
                    return found
                if isinstance(event, Draw):
                    self.drawings.append(event.payload)
                    start = place + LENGTH.size
                    continue
                target, value = as_pair(event)
            append((target, value))
            start = place + LENGTH.size
        self._rest = data[start:] if start < len(data) else b""
        return found

    def _ask_reference(self, message: bytes) -> Handshake | FromClient:
        if LENGTH.unpack_from(message)[0] <= MAX_FROM_CLIENT:  # then it is whole
            return decode_from_client(message[LENGTH.size :], self._components)
        reference = ServerConnection(self._components)
        reference.receive_data(encode(Handshake(b"")) + message)
        _, event = reference.events()
        return event


def as_pair(event: Handshake | FromClient) -> tuple[Target, Any]:
    """A client's event in the form in which `CommandReader` gives it."""
    match event:
        case Timestamp(time):
            return STAMP, time
        case Ack(time):
            return ACK, time
        case Command(name, number, value):
            return (name, number), value
        case Actuation(name, payload):
            return (name, OWN_PAYLOAD), payload
        case Handshake() | Draw():
            raise LocalProtocolError(f"{type(event).__name__} sets nothing")
