"""JSON objects in payloads: what goes out is strict JSON, what comes in is an object or an error that says why not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ubersim.errors import LocalProtocolError, RemoteProtocolError


def encode_object(what: str, content: Mapping[str, Any], *, escaped: bool = False) -> bytes:
    """The payload; `what` names it in errors, one thing. `escaped`: ASCII alone, for texts that may have no UTF-8."""
    try:
        return json.dumps(content, allow_nan=False, ensure_ascii=escaped).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise LocalProtocolError(f"{what} has no JSON form: {error}") from None


def decode_object(what: str, payload: bytes) -> dict[str, Any]:
    """The object in a payload."""
    try:
        content = _DECODER.decode(payload.decode())
    except RecursionError:
        raise RemoteProtocolError(f"{what} is not JSON: it is nested too deeply") from None
    except ValueError as error:
        reason = str(error).partition(";")[0]  # what follows is advice to programmers in Python
        raise RemoteProtocolError(f"{what} is not JSON: {reason}") from None
    if not isinstance(content, dict):
        raise RemoteProtocolError(f"{what} is not a JSON object")
    return content


def is_whole(value: Any) -> bool:
    """Whether a JSON value is a whole number that every reader of JSON holds exactly."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON number")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
"""Made once: with `json.loads` each object would pay for its own."""
