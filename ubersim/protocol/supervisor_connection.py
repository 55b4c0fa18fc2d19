"""The wire between a supervisor and its server, without I/O: the same framing as a robot's, with other events."""

from __future__ import annotations

from html import escape  # that of xml.sax would bring all of urllib along

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol.connection import MAX_FROM_CLIENT, MAX_FROM_SERVER, Connection
from ubersim.protocol.events import Error, Handshake
from ubersim.protocol.messages import encode
from ubersim.protocol.supervisor_events import Request, ToSupervisor
from ubersim.protocol.supervisor_messages import (
    decode_request,
    decode_to_supervisor,
    encode_request,
    encode_to_supervisor,
)
from ubersim.protocol.welcome import Welcome

LONGEST_REQUEST = 4 * 2**20 + MAX_FROM_CLIENT
"""A robot's document and what is around it [bytes]."""


def supervisor_document(name: str, token: str | None = None) -> bytes:
    """What a supervisor sends first, in the place of a robot's document."""
    secret = "" if token is None else f"<Token>{escape(token, quote=False)}</Token>"
    return f"<Supervisor><CSettings><Name>{escape(name, quote=False)}</Name>{secret}</CSettings></Supervisor>".encode()


class SupervisorServerEnd(Connection[Request]):
    """The server's end, after the handshake: requests come in."""

    def send(self, event: ToSupervisor) -> bytes:
        """The bytes of an event of ours."""
        return encode_to_supervisor(event)

    def _next(self) -> Request | None:
        body = self._next_body(LONGEST_REQUEST)
        return None if body is None else decode_request(body)


class SupervisorClientEnd(Connection[ToSupervisor]):
    """The supervisor's end: its document goes out first, then requests; `Welcome` comes in first, and once."""

    def __init__(self) -> None:
        super().__init__()
        self._met = self._welcomed = False

    def send(self, event: Handshake | Request) -> bytes:
        """The bytes of an event of ours."""
        if isinstance(event, Handshake) == self._met:
            raise LocalProtocolError("the handshake comes first, and once")
        self._met = True
        return encode(event) if isinstance(event, Handshake) else encode_request(event)

    def _next(self) -> ToSupervisor | None:
        body = self._next_body(MAX_FROM_SERVER)
        if body is None:
            return None
        event = decode_to_supervisor(body)
        if isinstance(event, Welcome) == self._welcomed and not isinstance(event, Error):
            place = "came twice" if self._welcomed else "came where Welcome is due"
            raise RemoteProtocolError(f"{type(event).__name__} {place}")
        self._welcomed = True
        return event
