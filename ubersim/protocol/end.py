"""`End`: why a robot's run is over, so that its program can tell a server that has finished from one that crashed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol.json_object import decode_object, encode_object, is_whole

EndReason = Literal["finished", "stopped", "removed", "failed"]
"""The last frame is done; a signal came; a supervisor took the robot out; the robot or its client did not go on."""


@dataclass(frozen=True, slots=True)
class End:
    """Server: the last message before it closes the connection, to clients of version 2."""

    reason: EndReason
    frame: int
    """In which that was, as the server counts frames."""
    text: str = ""
    """The same for people."""


def encode_end(end: End) -> bytes:
    """The payload of the message."""
    if end.reason not in get_args(EndReason):
        raise LocalProtocolError(f"a run does not end for the reason {end.reason!r}")
    return encode_object("the content of End", asdict(end), escaped=True)


def decode_end(payload: bytes) -> End:
    """The event in a payload, which may say more than this program knows."""
    content = decode_object("the content of End", payload)
    end = End(*(content.get(name, "") for name in ("reason", "frame", "text")))
    if end.reason not in get_args(EndReason) or not is_whole(end.frame) or not isinstance(end.text, str):
        raise RemoteProtocolError(f"End has a reason, a frame and a text, not {repr(content)[:80]}")
    return end
