"""A client that says exactly what a test wants it to say, byte by byte if need be."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Sequence

from ubersim.protocol import (
    Ack,
    Actuation,
    ClientConnection,
    Command,
    Error,
    FrameEnd,
    FromServer,
    Handshake,
    Reading,
    Timestamp,
    Welcome,
)


class RawClient:
    """Speaks the protocol's events over a real socket; acknowledges nothing by itself."""

    def __init__(
        self, port: int | str, document: str, source: str = "", early: Sequence[Timestamp | Command | Ack] = ()
    ) -> None:
        """`port`, or the path of a Unix socket; `source`: the address to come from, of those of this machine.

        `early` is sent in one piece with the document, before any welcome.
        """
        if isinstance(port, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(port)
        else:
            self.socket = socket.create_connection(("127.0.0.1", port), source_address=(source, 0))
        self.socket.settimeout(120)
        self.wire = ClientConnection()
        self.socket.sendall(b"".join(self.wire.send(event) for event in (Handshake(document.encode()), *early)))
        self._events = self._incoming()

    def _incoming(self) -> Iterator[FromServer]:
        while data := self.socket.recv(1 << 16):
            self.wire.receive_data(data)
            yield from self.wire.events()
        self.socket.close()  # or the server waits a while for us to hang up

    def welcome(self) -> Welcome:
        """The server's first message, if it is a welcome."""
        event = next(self._events)
        assert isinstance(event, Welcome), event
        return event

    def error(self) -> str:
        """The text of the Error that comes sooner or later."""
        for event in self._events:
            if isinstance(event, Error):
                self.socket.close()
                return event.text
        raise AssertionError("the connection ended without an Error")

    def frame(self) -> tuple[float, list[Reading]] | None:
        """Time and readings of the next frame; None when the server has ended."""
        readings: list[Reading] = []
        time = 0.0
        for event in self._events:
            match event:
                case Timestamp(t):
                    time = t
                case Reading():
                    readings.append(event)
                case FrameEnd():
                    return time, readings
                case Error(text):
                    raise AssertionError(text)
        return None

    def send(self, *events: Timestamp | Command | Actuation | Ack) -> None:
        """Sends events in one piece."""
        self.socket.sendall(b"".join(self.wire.send(event) for event in events))

    def acknowledge(self, frames: int) -> None:
        """Takes so many frames, and acknowledges each."""
        for _ in range(frames):
            frame = self.frame()
            assert frame is not None
            self.send(Ack(frame[0]))

    def serve_to_the_end(self) -> int:
        """Acknowledges frames until the server ends; how many there were."""
        count = 0
        while (frame := self.frame()) is not None:
            count += 1
            with contextlib.suppress(OSError):  # the server may have what it needs, and be gone
                self.send(Ack(frame[0]))
        return count

    def close(self) -> None:
        self.socket.close()
