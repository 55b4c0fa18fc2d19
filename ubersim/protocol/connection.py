"""The wire without I/O: bytes go in with `receive_data`, come out of `send`; what they mean comes out of `events`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from ubersim.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from ubersim.protocol.events import (
    End,
    Error,
    FrameEnd,
    FromClient,
    FromServer,
    Handshake,
    Reading,
    Timestamp,
    Welcome,
)
from ubersim.protocol.messages import LENGTH, Components, decode_from_client, decode_from_server, encode
from ubersim.protocol.welcome import VERSION

MAX_DOCUMENT = 32 * 2**20
"""Longest robot document, unless the server says otherwise [bytes]."""
MAX_FROM_CLIENT = 64 * 2**10
"""Longest body of a message from a client [bytes]."""
MAX_FROM_SERVER = 4096 * 4096 * 4 + 64 * 2**10
"""Longest body of a message from a server [bytes]: the largest camera picture, its name and its capture time."""

E = TypeVar("E")


class Connection(Generic[E]):
    """One end. After an error nothing more comes out of it but that error."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._error: ProtocolError | None = None

    def receive_data(self, data: bytes) -> None:
        """Takes bytes of the other side, however they were cut."""
        self._buffer += data

    def events(self) -> Iterator[E]:
        """Everything that is complete so far, in order."""
        while True:
            if self._error is not None:
                raise self._error
            try:
                event = self._next()
            except RemoteProtocolError as error:
                self._error = error
                raise
            if event is None:
                return
            yield event

    @property
    def held(self) -> int:
        """How many bytes it holds that have not come out as an event."""
        return len(self._buffer)

    @property
    def trailing_data(self) -> bytes:
        """What has come in and not come out as an event, for what goes on with it after the handshake."""
        return bytes(self._buffer)

    def _next(self) -> E | None:
        raise NotImplementedError

    def _next_body(self, limit: int) -> bytes | None:
        if len(self._buffer) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(self._buffer)
        if length > limit:
            raise RemoteProtocolError(f"a message of {length} bytes is longer than the {limit} that are allowed")
        end = LENGTH.size + length
        if len(self._buffer) < end:
            return None
        return self._take(LENGTH.size, end)

    def _take(self, start: int, end: int) -> bytes:
        with memoryview(self._buffer) as view:  # one copy, not two: a picture has megabytes
            taken = bytes(view[start:end])
        del self._buffer[:end]
        return taken


class ServerConnection(Connection[Handshake | FromClient]):
    """The server's end: first the robot's document comes in, then messages."""

    def __init__(self, components: Components | None = None, *, max_document: int = MAX_DOCUMENT) -> None:
        super().__init__()
        self._max_document = max_document
        self.components = components
        """What the client may command, as soon as that is known; None: anything."""
        self._met = False
        self._searched = 0
        self._order = _FrameOrder(LocalProtocolError)

    def send(self, event: FromServer) -> bytes:
        """The bytes of an event of ours."""
        self._order.check(event)
        return encode(event)

    def _next(self) -> Handshake | FromClient | None:
        if not self._met:
            return self._next_document()
        body = self._next_body(MAX_FROM_CLIENT)
        return None if body is None else decode_from_client(body, self.components)

    def _next_document(self) -> Handshake | None:
        end = self._buffer.find(0, self._searched, self._max_document + 1)
        if end < 0:
            self._searched = len(self._buffer)  # or a document that comes byte by byte costs its length squared
            if len(self._buffer) > self._max_document:
                raise RemoteProtocolError(f"the robot document is longer than the {self._max_document} bytes allowed")
            return None
        document = self._take(0, end + 1)[:-1]
        try:
            document.decode()
        except UnicodeDecodeError as error:
            reason = f"{error.reason} at byte {error.start}"
            raise RemoteProtocolError(f"the robot document is not UTF-8: {reason}") from None
        self._met = True
        return Handshake(document)


class ClientConnection(Connection[FromServer]):
    """The client's end: first it sends its robot's document, then messages."""

    def __init__(self, limit: int = MAX_FROM_SERVER) -> None:
        super().__init__()
        self._limit = limit
        self._met = False
        self._version = VERSION
        self._order = _FrameOrder(RemoteProtocolError)

    def send(self, event: Handshake | FromClient) -> bytes:
        """The bytes of an event of ours."""
        if isinstance(event, Handshake) == self._met:
            raise LocalProtocolError("the handshake comes first, and once")
        self._met = True
        return encode(event)

    def _next(self) -> FromServer | None:
        body = self._next_body(self._limit)
        if body is None:
            return None
        event = decode_from_server(body, self._version)
        if isinstance(event, Welcome):
            self._version = event.protocol
        self._order.check(event)
        return event


class _FrameOrder:
    """The order of a server's messages: Welcome, then frames of Timestamp, readings, FrameEnd; Error or End ends it.

    End comes between frames, or after Error, and only in version 2.
    """

    def __init__(self, error: type[ProtocolError]) -> None:
        self._error = error
        self._expected: tuple[type[FromServer], ...] = (Welcome, Error)
        self._end: tuple[type[FromServer], ...] = ()

    def check(self, event: FromServer) -> None:
        if not isinstance(event, self._expected):
            expected = " or ".join(kind.__name__ for kind in self._expected) or "nothing"
            raise self._error(f"{type(event).__name__} came where {expected} is due")
        match event:
            case Timestamp() | Reading():
                self._expected = (Reading, FrameEnd, Error)
            case Welcome():
                self._end = (End,) if event.protocol >= 2 else ()
                self._expected = (Timestamp, Error, *self._end)
            case FrameEnd():
                self._expected = (Timestamp, Error, *self._end)
            case Error():
                self._expected = self._end
            case End():
                self._expected = ()
