"""One event <-> the bytes of one message. The reference: plain, and strict in both directions.

A message is a u32 length, then that many bytes: component name (UTF-8), NUL, payload. All numbers are little-endian.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Mapping

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol import names
from ubersim.protocol.end import decode_end, encode_end
from ubersim.protocol.events import (
    Ack,
    Actuation,
    Command,
    Draw,
    End,
    Error,
    Event,
    FrameEnd,
    FromClient,
    FromServer,
    Handshake,
    Reading,
    Timestamp,
)
from ubersim.protocol.names import FROM_CLIENT, FROM_SERVER
from ubersim.protocol.welcome import VERSION, Welcome, decode_welcome, encode_welcome

OWN_PAYLOAD = -1
"""Stands among the numbers of a component that takes payloads of its own; no property has this number."""
ANY_PAYLOAD = -2
"""Stands beside it if these payloads may also be as long as a property and its value are."""
Components = Mapping[str, Collection[int]]
"""What a client may command: name of the component -> numbers of its properties, and perhaps `OWN_PAYLOAD`."""

LENGTH = struct.Struct("<I")
TIME = struct.Struct("<d")
SETTING = struct.Struct("<If")

_PAYLOAD_MESSAGES = {
    names.CANCEL: frozenset([OWN_PAYLOAD]),
    names.DECLARE: frozenset([OWN_PAYLOAD]),
    names.LOG: frozenset([OWN_PAYLOAD, ANY_PAYLOAD]),
}
_MANY_NAMES = 50
"""In an error message."""


def encode(event: Event) -> bytes:
    """The bytes of an event; refuses with LocalProtocolError what the other side would have to refuse."""
    match event:
        case Handshake(document):
            return _encode_document(document)
        case Welcome():
            return message(names.WELCOME, encode_welcome(event))
        case Error(text):
            return message(names.ERROR, text.encode("utf-8", "replace"))
        case Timestamp(time):
            return message(names.TIMESTAMP, _encode_time(names.TIMESTAMP, time))
        case Ack(time):
            return message(names.ACK, _encode_time(names.ACK, time))
        case FrameEnd():
            return message(names.FRAME_END, b"")
        case End():
            return message(names.END, encode_end(event))
        case Draw(payload):
            return message(names.DRAW, payload)
        case Reading(name, payload):
            if name in FROM_SERVER:
                raise LocalProtocolError(f"a sensor cannot be called {name}: that is a message of its own")
            return message(name, payload)
        case Command(name, number, value):
            if name in (names.TIMESTAMP, names.ACK):
                raise LocalProtocolError(f"a component cannot be called {name}: that is a message of its own")
            return message(name, _encode_setting(name, number, value))
        case Actuation(name, payload):
            return message(name, _encode_payload(name, payload))


def message(name: str, payload: bytes) -> bytes:
    """A message with a component's name and whatever payload."""
    if not name or "\0" in name:
        raise LocalProtocolError(f"{quoted(name)} cannot be the name of a component")
    try:
        head = name.encode()
    except UnicodeEncodeError:
        raise LocalProtocolError(f"the component name {quoted(name)} has no UTF-8 form") from None
    return LENGTH.pack(len(head) + 1 + len(payload)) + head + b"\0" + payload


def _encode_document(document: bytes) -> bytes:
    if b"\0" in document:
        raise LocalProtocolError("the robot document contains a NUL byte, which would end it")
    return document + b"\0"


def _encode_time(name: str, time: float) -> bytes:
    if not math.isfinite(time):
        raise LocalProtocolError(f"the time of {name} is not finite: {time}")
    return TIME.pack(time)


def _encode_setting(name: str, number: int, value: float) -> bytes:
    if not math.isfinite(value):
        raise LocalProtocolError(f"the value for {quoted(name)} is not finite: {value}")
    try:
        return SETTING.pack(number, value)
    except (struct.error, OverflowError) as error:
        raise LocalProtocolError(f"property {number} = {value} of {quoted(name)} does not fit: {error}") from None


def _encode_payload(name: str, payload: bytes) -> bytes:
    if name in FROM_CLIENT:
        raise LocalProtocolError(f"a component cannot be called {name}: that is a message of its own")
    if len(payload) == SETTING.size:
        raise LocalProtocolError(f"{SETTING.size} bytes are a property of {quoted(name)} and its value, not a payload")
    return payload


def decode_from_server(body: bytes, version: int = VERSION) -> FromServer:
    """The event in the body of a message that a server sent, as that version of the protocol has it."""
    name, payload = split(body)
    if version >= 2 and name == names.END:  # a sensor of an older document may be called so
        return decode_end(payload)
    match name:
        case names.WELCOME:
            return decode_welcome(payload)
        case names.ERROR:
            return Error(payload.decode("utf-8", "replace"))
        case names.TIMESTAMP:
            return Timestamp(_decode_time(name, payload))
        case names.FRAME_END:
            _check_size(name, payload, 0)
            return FrameEnd()
    return Reading(name, payload)


def decode_from_client(body: bytes, components: Components | None = None) -> FromClient:
    """The event in the body of a message that a client sent, which may command these components (None: any)."""
    name, payload = split(body)
    if name == names.TIMESTAMP:
        return Timestamp(_decode_time(name, payload))
    if name == names.ACK:
        return Ack(_decode_time(name, payload))
    if name == names.DRAW and name not in (components or ()):  # unless a component has that name
        return Draw(payload)
    if components is not None and name not in components:
        raise RemoteProtocolError(f"there is no component {quoted(name)}; {_existing(components)}")
    accepted = () if components is None else components[name]
    if OWN_PAYLOAD in accepted and (len(payload) != SETTING.size or ANY_PAYLOAD in accepted):
        return Actuation(name, payload)
    _check_size(name, payload, SETTING.size)
    number, value = SETTING.unpack(payload)
    if components is not None and number not in components[name]:
        raise RemoteProtocolError(f"{quoted(name)} has no property {number}")
    if not math.isfinite(value):
        raise RemoteProtocolError(f"the value for property {number} of {quoted(name)} is not finite: {value}")
    return Command(name, number, value)


def payload_messages(version: int) -> dict[str, frozenset[int]]:
    """What a client of this version may send beside commands and acks, in the form of components."""
    return dict(_PAYLOAD_MESSAGES) if version >= 2 else {}


def split(body: bytes) -> tuple[str, bytes]:
    """Component name and payload of a message's body."""
    end = body.find(0)
    if end < 0:
        raise RemoteProtocolError(f"no NUL ends the component name in a message of {len(body)} bytes")
    if end == 0:
        raise RemoteProtocolError("the component name is empty")
    try:
        return body[:end].decode(), body[end + 1 :]
    except UnicodeDecodeError:
        raise RemoteProtocolError(f"the component name {quoted(body[:end])} is not UTF-8") from None


def _check_size(name: str, payload: bytes, size: int) -> None:
    if len(payload) != size:
        raise RemoteProtocolError(f"{quoted(name)} takes a payload of {size} bytes, not of {len(payload)}")


def _decode_time(name: str, payload: bytes) -> float:
    _check_size(name, payload, TIME.size)
    time: float = TIME.unpack(payload)[0]
    if not math.isfinite(time):
        raise RemoteProtocolError(f"the time of {name} is not finite: {time}")
    return time


def _existing(components: Components) -> str:
    known = sorted(components)
    more = f" and {len(known) - _MANY_NAMES} more" if len(known) > _MANY_NAMES else ""
    return f"there are {', '.join(known[:_MANY_NAMES])}{more}"


def quoted(name: str | bytes) -> str:
    """A name from outside, fit for an error message: no control characters, no megabytes."""
    return repr(name) if len(name) <= 80 else f"{name[:80]!r}..."
