"""What a client draws for people who watch: lines, points, text, a picture. The simulation never looks at it."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol import names
from ubersim.protocol.connection import MAX_FROM_CLIENT
from ubersim.protocol.events import Draw
from ubersim.protocol.json_object import decode_object

LARGEST = MAX_FROM_CLIENT - len(names.DRAW.encode() + b"\0")
"""Bytes of a drawing, all in all."""


def drawing(
    name: str,
    *,
    lines: Any = None,
    points: Any = None,
    text: str | None = None,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    png: bytes | None = None,
    color: Sequence[float] = (1.0, 0.5, 0.0),
    width: float = 0.01,
    body: str | None = None,
) -> Draw:
    """A drawing that replaces the last of its name; with nothing in it, it only takes that away."""
    content: dict[str, Any] = {"color": _numbers(color), "width": float(width)}
    if lines is not None:
        content["lines"] = [[_numbers(point) for point in line] for line in lines]
    if points is not None:
        content["points"] = [_numbers(point) for point in points]
    if text is not None:
        content |= {"text": text, "at": _numbers(at)}
    if png is not None:
        content["png"] = base64.b64encode(png).decode()
    if body is not None:
        content["body"] = body
    try:
        payload = name.encode() + b"\0" + json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    except ValueError as error:
        raise LocalProtocolError(f"the drawing {name!r} has no JSON form: {error}") from None
    if len(payload) > LARGEST or "\0" in name:
        raise LocalProtocolError(f"the drawing {name!r} has {len(payload)} bytes; {LARGEST} are allowed")
    return Draw(payload)


def space_for_png(rest: Draw) -> int:
    """How many bytes of a picture may be added to a drawing."""
    return (LARGEST - len(rest.payload) - len(',"png":""')) // 4 * 3  # it is sent in base 64


def drawing_name(payload: bytes) -> bytes:
    """The name in the payload of a drawing, whatever else is in it: a newer one of that name replaces it."""
    return payload.partition(b"\0")[0]


def read_drawing(payload: bytes) -> tuple[str, dict[str, Any]]:
    """Name and content of a drawing; the server forwards what clients send without looking at it."""
    name, _, content = payload.partition(b"\0")
    try:
        return name.decode(), decode_object("the content of a drawing", content)
    except UnicodeDecodeError:
        raise RemoteProtocolError("the name of a drawing is not UTF-8") from None


def _numbers(values: Any) -> list[float]:
    return [round(float(value), 6) for value in values]
