"""Where clients wait until their robot joins: connections and documents, away from the simulation's loop."""

from __future__ import annotations

import contextlib
import hmac
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


class Lobby:
    """One thread that serves all handshakes. The simulation only looks at `arrived`."""

    def __init__(
        self,
        listener: socket.socket,
        read: Callable[[bytes], RobotDescription],
        *,
        token: str | None = None,
        patience: float = 10.0,
    ) -> None:
        self.arrived = threading.Event()
        """Set while somebody is waiting to join."""
        self._listener = listener
        self._read = read
        self._token = token
        self._patience = patience
        self._strangers: dict[int, _Stranger] = {}
        self._arrivals: list[Arrival] = []
        self._lock = threading.Lock()
        self._closing = False
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._thread = threading.Thread(target=self._run, name="lobby", daemon=True)
        self._thread.start()

    def take(self) -> list[Arrival]:
        """Those who have arrived since the last call, in order of name."""
        with self._lock:
            arrivals, self._arrivals = self._arrivals, []
            self.arrived.clear()
        return sorted(arrivals, key=lambda arrival: arrival.description.settings.name)

    def close(self) -> None:
        """Lets nobody in any more."""
        self._closing = True
        self._thread.join()
        for stranger in self._strangers.values():
            stranger.connection.close()
        for arrival in self.take():
            arrival.connection.close()

    def _run(self) -> None:
        while not self._closing:
            for descriptor, _ in self._poll.poll(_TICK * 1000):
                if descriptor == self._listener.fileno():
                    self._accept()
                else:
                    self._hear(self._strangers[descriptor])
            self._show_out_the_slow()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:  # it is gone already, or we are out of descriptors: neither is a reason to stop
            time.sleep(0.01)
            return
        if len(self._strangers) >= MOST_STRANGERS:
            refuse(connection, "too many clients are connecting at once; try again")
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
            refuse(self._forget(stranger), str(error))
        except Exception as error:  # whatever a document does to us, the server lives on
            refuse(self._forget(stranger), f"the server could not read this document: {error!r}")

    def _admit(self, stranger: _Stranger, document: bytes) -> None:
        if self._token is not None and not hmac.compare_digest(_token_in(document), self._token.encode()):
            refuse(self._forget(stranger), "this server asks for a token, and CSettings/Token is missing or wrong")
            return
        description = self._read(document)
        connection = self._forget(stranger)
        with self._lock:
            self._arrivals.append(Arrival(connection, description, stranger.wire.trailing_data))
            self.arrived.set()

    def _show_out_the_slow(self) -> None:
        now = time.monotonic()
        for stranger in [stranger for stranger in self._strangers.values() if now > stranger.deadline]:
            refuse(self._forget(stranger), f"no complete robot document within {self._patience:g} s")

    def _forget(self, stranger: _Stranger) -> socket.socket:
        self._poll.unregister(stranger.connection)
        del self._strangers[stranger.connection.fileno()]
        return stranger.connection


class _Stranger:
    """Somebody in the middle of the handshake."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self.connection = connection
        self.wire = ServerConnection()
        self.deadline = deadline


def _token_in(document: bytes) -> bytes:
    """The token alone: whoever has the wrong one learns nothing about the rest of the document."""
    return (parse(document, "<robot>").findtext("CSettings/Token") or "").strip().encode()


def refuse(connection: socket.socket, reason: str) -> None:
    """Says why, if the other side still listens, and closes."""
    with contextlib.suppress(OSError), connection:
        connection.setblocking(False)
        connection.send(ServerConnection().send(Error(reason)))
        connection.shutdown(socket.SHUT_WR)
        # Unread bytes at close would make the kernel send a reset, and that would swallow the reason.
        while connection.recv(1 << 16):
            pass
