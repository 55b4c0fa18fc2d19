"""One event between a supervisor and its server <-> the bytes of one message, both ways.

A request is a message with the verb's name and a JSON object; a picture of the truth is mostly arrays of f64.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.geometry import Array
from ubersim.protocol import names
from ubersim.protocol.events import Error, FrameEnd, Timestamp
from ubersim.protocol.json_object import decode_object, encode_object, is_whole
from ubersim.protocol.log_entries import LogParts
from ubersim.protocol.messages import TIME, decode_from_server, encode, message, quoted, split
from ubersim.protocol.supervisor_events import (
    CapturedReading,
    ComponentCommands,
    ContactForces,
    ContactPoints,
    ForwardedDrawing,
    ForwardedLog,
    Legend,
    Pushes,
    Request,
    RequestDone,
    RequestFailed,
    ToSupervisor,
    Truth,
)
from ubersim.protocol.welcome import Welcome

_HEAD = struct.Struct("<qIIII")
"""Of a truth: frame, number of the legend, bodies, joint values, 1 if time stands still."""
_WIDTHS = 3, 4, 3, 3
"""Numbers per body: position, quaternion, velocity, angular velocity."""


def encode_request(request: Request) -> bytes:
    """The bytes of a request."""
    head: dict[str, Any] = {"id": request.id} | ({} if request.frame is None else {"frame": request.frame})
    if taken := sorted({"id", "frame"} & set(request.arguments)):
        raise LocalProtocolError(f"{request.verb}: no argument can be called {', '.join(taken)}")
    content = encode_object(f"the payload of {request.verb}", head | dict(request.arguments), escaped=True)
    return message(request.verb, content)


def decode_request(body: bytes) -> Request:
    """The request in the body of a message; an empty payload is an empty object."""
    verb, payload = split(body)
    content = decode_object(f"the payload of {verb}", payload or b"{}")
    number, frame = content.pop("id", 0), content.pop("frame", None)
    if not is_whole(number) or not (frame is None or is_whole(frame)):
        raise RemoteProtocolError(f"{verb}: id and frame are whole numbers")
    return Request(verb, number, frame, content, size=len(body))


def encode_to_supervisor(event: ToSupervisor) -> bytes:
    """The bytes of an event that a server sends."""
    match event:
        case Welcome() | Error() | Timestamp() | FrameEnd():
            return encode(event)
        case RequestDone(number, frame, reply):
            answer = {"id": number, "frame": frame} | dict(reply)
            return message(names.DONE, encode_object("the answer", answer, escaped=True))
        case RequestFailed(number, frame, reason):
            answer = {"id": number, "frame": frame, "reason": reason}
            return message(names.FAILED, encode_object("the answer", answer, escaped=True))
        case Legend():
            return message(names.LEGEND, encode_object("the legend", event.to_json(), escaped=True))
        case Truth():
            return message(names.TRUTH, _encode_truth(event))
        case CapturedReading(name, captured, payload):
            return message(name, TIME.pack(captured) + payload)
        case ContactPoints(positions, normals, depths):
            return message(names.CONTACTS, _bytes(positions, normals, depths))
        case ContactForces(rows):
            return message(names.FORCES, _bytes(rows))
        case Pushes(rows):
            return message(names.PUSHES, _bytes(rows))
        case ComponentCommands(name, rows):
            return message(names.COMMANDS, name.encode() + b"\0" + _bytes(rows))
        case ForwardedDrawing(robot, payload):
            return message(names.DRAW, robot.encode() + b"\0" + payload)
        case ForwardedLog(robot, time, entry):
            head = robot.encode() + b"\0" + TIME.pack(time) + entry.name.encode() + b"\0"
            return message(names.LOG, head + bytes([entry.kind]) + entry.payload)


def decode_to_supervisor(body: bytes) -> ToSupervisor:
    """The event in the body of a message that a server sent."""
    name, payload = split(body)
    match name:
        case names.WELCOME | names.ERROR | names.TIMESTAMP | names.FRAME_END:
            event = decode_from_server(body)
            assert isinstance(event, Welcome | Error | Timestamp | FrameEnd)
            return event
        case names.DONE | names.FAILED:
            return _decode_answer(name, payload)
        case names.LEGEND:
            return _decode_legend(payload)
        case names.TRUTH:
            return _decode_truth(payload)
        case names.CONTACTS:
            points = _numbers(name, payload, 7)
            count = len(points) // 7
            positions, normals, depths = np.split(points, [3 * count, 6 * count])
            return ContactPoints(positions.reshape(count, 3), normals.reshape(count, 3), depths)
        case names.FORCES:
            return ContactForces(_numbers(name, payload, 6).reshape(-1, 6))
        case names.PUSHES:
            return Pushes(_numbers(name, payload, 6).reshape(-1, 6))
        case names.COMMANDS:
            component, _, rows = payload.partition(b"\0")
            return ComponentCommands(component.decode("utf-8", "replace"), _numbers(name, rows, 4).reshape(-1, 4))
        case names.DRAW:
            robot, _, drawing = payload.partition(b"\0")
            return ForwardedDrawing(robot.decode("utf-8", "replace"), drawing)
        case names.LOG:
            return _decode_log(payload)
    if "/" not in name or len(payload) < TIME.size:
        raise RemoteProtocolError(f"{quoted(name)} with {len(payload)} bytes is no message to a supervisor")
    return CapturedReading(name, TIME.unpack_from(payload)[0], payload[TIME.size :])


def _decode_log(payload: bytes) -> ForwardedLog:
    robot, _, rest = payload.partition(b"\0")
    if len(rest) < TIME.size:
        raise RemoteProtocolError(f"a {names.LOG} of {len(payload)} bytes cannot be read")
    entry = LogParts().take(rest[TIME.size :])
    if entry is None:
        raise RemoteProtocolError(f"a {names.LOG} that a server sends is whole")
    return ForwardedLog(robot.decode("utf-8", "replace"), TIME.unpack_from(rest)[0], entry)


def _encode_truth(truth: Truth) -> bytes:
    bodies, axes = len(truth.positions), len(truth.joint_positions)
    head = _HEAD.pack(truth.frame, truth.legend, bodies, axes, int(truth.standing))
    states = truth.positions, truth.quaternions, truth.linear, truth.angular
    return head + _bytes(*states, truth.joint_positions, truth.joint_rates)


def _decode_truth(payload: bytes) -> Truth:
    try:
        frame, legend, bodies, axes, standing = _HEAD.unpack_from(payload)
        values = np.frombuffer(payload, "<f8", offset=_HEAD.size)
        if len(values) != bodies * sum(_WIDTHS) + 2 * axes:
            raise ValueError(f"{bodies} bodies and {axes} joint values take another number of bytes")
    except (struct.error, ValueError) as error:
        raise RemoteProtocolError(f"a {names.TRUTH} of {len(payload)} bytes cannot be read: {error}") from None
    *states, joint_positions, joint_rates = np.split(values, np.cumsum([width * bodies for width in _WIDTHS] + [axes]))
    positions, quaternions, linear, angular = (
        state.reshape(bodies, width) for state, width in zip(states, _WIDTHS, strict=True)
    )
    moving = positions, quaternions, linear, angular
    return Truth(frame, legend, bool(standing), *moving, joint_positions, joint_rates)


def _decode_answer(name: str, payload: bytes) -> RequestDone | RequestFailed:
    content = decode_object(f"the payload of {name}", payload)
    number, frame = content.pop("id", None), content.pop("frame", None)
    if not is_whole(number) or not is_whole(frame):
        raise RemoteProtocolError(f"{name}: id and frame are whole numbers")
    if name == names.DONE:
        return RequestDone(number, frame, content)
    return RequestFailed(number, frame, str(content.get("reason", "")))


def _decode_legend(payload: bytes) -> Legend:
    content = decode_object("the legend", payload)
    try:
        joints = tuple((str(name), int(axis)) for name, axis in content["joints"])
        return Legend(int(content["number"]), tuple(map(str, content["bodies"])), joints, dict(content["robots"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RemoteProtocolError(f"a legend cannot be read: {error!r}") from None


def _bytes(*arrays: Array) -> bytes:
    return b"".join(array.astype("<f8", copy=False).tobytes() for array in arrays)


def _numbers(name: str, payload: bytes, width: int) -> Array:
    if len(payload) % (8 * width):
        raise RemoteProtocolError(f"{name} has rows of {width} f64, not {len(payload)} bytes")
    return np.frombuffer(payload, "<f8")
