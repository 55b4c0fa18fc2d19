"""Where clients wait until their robot joins, and where they are seen out; away from the simulation's loop."""

from __future__ import annotations

import contextlib
import hmac
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ubersim.description import RobotDescription
from ubersim.description.document import parse
from ubersim.errors import UberSimError
from ubersim.protocol import Error, Handshake, ServerConnection
from ubersim.protocol.messages import encode
from ubersim.server.supervisor_connection import is_supervisor
from ubersim.transport.lingering_close import LingeringClose

MOST_STRANGERS = 256
"""Connections that may be in their handshake at once; each may hold a document of 4 MiB."""
_TICK = 0.2


@dataclass(frozen=True)
class Arrival:
    """A client whose document is sound, ready to join at the next frame."""

    connection: socket.socket
    description: RobotDescription
    early: bytes
    """What it has sent after the document already."""


class _Stranger:
    """Somebody in the middle of the handshake."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self.connection = connection
        self.wire = ServerConnection()
        self.deadline = deadline


class HandshakeDesk:
    """One thread that serves all who come and go. The simulation only looks at `arrived`."""

    def __init__(
        self,
        listener: socket.socket,
        read: Callable[[bytes], RobotDescription],
        news: threading.Event,
        *,
        supervise: Callable[[socket.socket, bytes, bytes], None],
        token: str | None = None,
        patience: float = 10.0,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.crowded = False
        """Whether somebody is waiting to join: a plain value, which costs nothing to look at in every frame."""
        self._listener = listener
        self._read = read
        self._news = news
        self._supervise = supervise
        self._token = token
        self._patience = patience
        self._note = note
        self._strangers: dict[int, _Stranger] = {}
        self._leaving: dict[int, LingeringClose] = {}
        self._arrivals: list[Arrival] = []
        self._farewells: list[LingeringClose] = []
        self._lock = threading.Lock()
        self._closing = False
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._bell, self._ring = os.pipe()  # wakes the thread when there is a farewell for it
        self._poll.register(self._bell, select.POLLIN)
        self._thread = threading.Thread(target=self._run, name="lobby", daemon=True)

    def open(self) -> None:
        """From now on, people may come."""
        self._thread.start()

    def take(self) -> list[Arrival]:
        """Those who have arrived since the last call, in order of name."""
        with self._lock:
            arrivals, self._arrivals = self._arrivals, []
            self.crowded = False
        return sorted(arrivals, key=lambda arrival: arrival.description.name)

    def see_out(self, connection: socket.socket, last_words: bytes = b"") -> None:
        """Delivers the last words and closes the connection, in its own time."""
        with self._lock:
            self._farewells.append(LingeringClose(connection, last_words))
        os.write(self._ring, b"!")

    def refuse(self, connection: socket.socket, reason: str) -> None:
        """Tells somebody why he cannot join."""
        self._note(f"refused: {reason}")
        self.see_out(connection, encode(Error(reason)))

    def close(self) -> None:
        """Lets nobody in any more, and sees out whoever is still there."""
        if self._closing:
            return
        self._closing = True
        os.write(self._ring, b"!")
        self._thread.join()
        os.close(self._bell)
        os.close(self._ring)

    def _run(self) -> None:
        while not self._closing:
            self._serve(self._poll.poll(_TICK * 1000))
        self._poll.unregister(self._listener)
        for stranger in list(self._strangers.values()):
            self._forget(stranger).close()
        for arrival in self.take():
            arrival.connection.close()
        self._say_goodbye()
        while self._leaving:
            self._serve(self._poll.poll(_TICK * 1000))

    def _serve(self, events: list[tuple[int, int]]) -> None:
        for descriptor, _ in events:
            if descriptor == self._bell:
                os.read(self._bell, 4096)
            elif descriptor in self._strangers:
                self._hear(self._strangers[descriptor])
            elif descriptor in self._leaving:
                self._attend(self._leaving[descriptor])
            else:
                self._accept()
        self._show_out_the_slow()
        self._say_goodbye()

    # Coming

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:  # it is gone already, or we are out of descriptors: neither is a reason to stop
            time.sleep(0.01)
            return
        if len(self._strangers) >= MOST_STRANGERS:
            self.refuse(connection, "too many clients are connecting at once; try again")
            return
        connection.setblocking(False)
        self._strangers[connection.fileno()] = _Stranger(connection, time.monotonic() + self._patience)
        self._poll.register(connection, select.POLLIN)

    def _hear(self, stranger: _Stranger) -> None:
        try:
            data = stranger.connection.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._forget(stranger).close()
            return
        try:
            stranger.wire.receive_data(data)
            for event in stranger.wire.events():
                assert isinstance(event, Handshake)
                self._admit(stranger, event.document)
                return
        except UberSimError as error:
            self.refuse(self._forget(stranger), str(error))
        except Exception as error:  # whatever a document does to us, the server lives on
            self.refuse(self._forget(stranger), f"the server could not read this document: {error!r}")

    def _admit(self, stranger: _Stranger, document: bytes) -> None:
        if self._token is not None and not hmac.compare_digest(_token_in(document), self._token.encode()):
            self.refuse(self._forget(stranger), "this server asks for a token; CSettings/Token is missing or wrong")
            return
        if is_supervisor(document):
            self._supervise(stranger.connection, document, stranger.wire.trailing_data)
            self._forget(stranger)
            return
        description = self._read(document)
        connection = self._forget(stranger)
        with self._lock:
            self._arrivals.append(Arrival(connection, description, stranger.wire.trailing_data))
            self.crowded = True
        self._news.set()

    def _show_out_the_slow(self) -> None:
        now = time.monotonic()
        for stranger in [stranger for stranger in self._strangers.values() if now > stranger.deadline]:
            self.refuse(self._forget(stranger), f"no complete robot document within {self._patience:g} s")

    def _forget(self, stranger: _Stranger) -> socket.socket:
        self._poll.unregister(stranger.connection)
        del self._strangers[stranger.connection.fileno()]
        return stranger.connection

    # Going

    def _say_goodbye(self) -> None:
        with self._lock:
            farewells, self._farewells = self._farewells, []
        for farewell in farewells:
            self._leaving[farewell.connection.fileno()] = farewell
            self._attend(farewell)
        for farewell in [farewell for farewell in self._leaving.values() if farewell.over]:
            self._hang_up(farewell)

    def _attend(self, farewell: LingeringClose) -> None:
        if farewell.attend():
            self._poll.register(farewell.connection, select.POLLIN | (select.POLLOUT if farewell.speaking else 0))
        else:
            self._hang_up(farewell)

    def _hang_up(self, farewell: LingeringClose) -> None:
        del self._leaving[farewell.connection.fileno()]
        with contextlib.suppress(KeyError):  # it may go before it had to be waited for
            self._poll.unregister(farewell.connection)
        farewell.close()


def _token_in(document: bytes) -> bytes:
    """The token alone: whoever has the wrong one learns nothing about the rest of the document."""
    return (parse(document, "<robot>").findtext("CSettings/Token") or "").strip().encode()
