"""`Cancel`: a client takes back commands of its own that have yet to be executed. The payload, both ways."""

from __future__ import annotations

import math
import struct

from ubersim.errors import LocalProtocolError, RemoteProtocolError

_TIME = struct.Struct("<d")


def encode_cancel(component: str, time: float) -> bytes:
    """Commands for that component (empty: for all) that would be executed at or after that time [s]."""
    if not math.isfinite(time):
        raise LocalProtocolError(f"the time of Cancel is not finite: {time}")
    if "\0" in component:
        raise LocalProtocolError(f"{component!r:.80} cannot be the name of a component")
    return component.encode() + b"\0" + _TIME.pack(time)


def decode_cancel(payload: bytes) -> tuple[str, float]:
    """Component and time [s]."""
    name, nul, rest = payload.partition(b"\0")
    if not nul or len(rest) != _TIME.size:
        raise RemoteProtocolError(f"Cancel takes a component's name, NUL and an f64, not {len(payload)} bytes")
    (time,) = _TIME.unpack(rest)
    if not math.isfinite(time):
        raise RemoteProtocolError(f"the time of Cancel is not finite: {time}")
    try:
        return name.decode(), time
    except UnicodeDecodeError:
        raise RemoteProtocolError("the component's name in Cancel is not UTF-8") from None
