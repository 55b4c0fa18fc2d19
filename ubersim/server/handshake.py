"""Where clients wait until their robot joins; away from the simulation's loop, so that none can hold up a frame."""

from __future__ import annotations

import hmac
import math
import re
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ubersim.description import RobotDescription
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.protocol import MAX_DOCUMENT, Error, Handshake, ServerConnection
from ubersim.protocol.messages import encode
from ubersim.server.closing_connections import ClosingConnections
from ubersim.server.supervisor_document import is_supervisor, read_supervisor, read_token
from ubersim.transport.wake_pipe import WakePipe

MOST_HANDSHAKES = 256
"""Connections that may be in their handshake at once."""
MOST_HELD = 8
"""Documents of the greatest length that all handshakes, and all who wait to join, may hold together."""
MOST_WAITING = 256
"""Robots that may wait to join at once, unless the server itself waits for more."""
LONGEST = 10.0
"""How long a client may take to send its document [s]."""
_TICK = 0.2
_BUFFER = 1 << 16
_BLANK = b"\xef\xbb\xbf \t\r\n"
"""What may come before the first element: a byte order mark, white space."""
_HTTP = re.compile(rb"[A-Z]+ \S*( HTTP/|$)")
_HUNG_UP = select.POLLRDHUP | select.POLLHUP | select.POLLERR


@dataclass(frozen=True)
class Arrival:
    """A client whose document is sound, ready to join at the next frame."""

    connection: socket.socket
    description: RobotDescription
    early: bytes
    """What it has sent after the document already."""


class _OpenHandshake:
    """A client that has not sent all of its document."""

    def __init__(self, connection: socket.socket, max_document: int) -> None:
        self.connection = connection
        self.wire = ServerConnection(max_document=max_document)
        self.deadline = time.monotonic() + LONGEST
        self.begun = False


def _is_beginning_of_document(data: bytes) -> bool:
    """False if nothing has come but white space. What is no XML, such as a browser's request, is refused at once."""
    beginning = data.lstrip(_BLANK)
    if beginning and not beginning.startswith(b"<"):
        what = "HTTP" if _HTTP.match(beginning) else "something else"
        raise RemoteProtocolError(f"this is {what}; a robot's program sends an XML document first")
    return bool(beginning)


class Handshakes:
    """One thread for all connections that begin or end. The simulation only looks at `has_arrivals`."""

    def __init__(
        self,
        listener: socket.socket,
        *,
        read: Callable[[bytes], RobotDescription],
        supervise: Callable[[socket.socket, str, bytes], None],
        notify: Callable[[], None],
        token: str | None,
        note: Callable[[str], None],
        most_waiting: int | None = None,
        max_document: int = MAX_DOCUMENT,
    ) -> None:
        """`read` reads a robot's document, `supervise` takes over a supervisor's connection, given its name.

        Both are called in the thread; `notify` wakes the simulation's when a robot can join.
        """
        self.has_arrivals = False
        """Whether a robot is waiting to join: a plain value, which costs nothing to look at in every frame."""
        self._listener = listener
        self._read_robot = read
        self._supervise = supervise
        self._notify = notify
        self._token = token
        self._most_waiting = max(most_waiting or 0, MOST_WAITING)
        self._max_document = max_document
        self._note = note
        self._handshakes: dict[int, _OpenHandshake] = {}
        self._waiting: dict[int, Arrival] = {}
        self._lock = threading.Lock()
        self._closing = False
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._ending = ClosingConnections(self._poll)
        self._wake_pipe = WakePipe()
        self._poll.register(self._wake_pipe, select.POLLIN)
        self._thread = threading.Thread(target=self._run, name="handshakes", daemon=True)

    def start(self) -> None:
        """Accepts connections from now on."""
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many clients wait to join."""
        return len(self._waiting)

    def take(self, least: int = 0, may_join: Callable[[RobotDescription], bool] = lambda _: True) -> list[Arrival]:
        """Those of the clients that wait to join who may, if at least so many wait; the others wait on."""
        with self._lock:
            self._drop_those_who_hung_up()
            if len(self._waiting) < least:
                return []
            arrivals = [arrival for arrival in self._waiting.values() if may_join(arrival.description)]
            for arrival in arrivals:
                self._poll.unregister(arrival.connection)
                del self._waiting[arrival.connection.fileno()]
            self.has_arrivals = bool(self._waiting)
        return arrivals

    def close_connection(self, connection: socket.socket, last_bytes: bytes = b"") -> None:
        """Delivers the last bytes and closes the connection, without the caller waiting for it."""
        self._ending.add(connection, last_bytes)
        self._wake_pipe.wake()

    def refuse(self, connection: socket.socket, reason: str) -> None:
        """Tells a client why it cannot join."""
        self._note(f"refused: {reason}")
        self.close_connection(connection, encode(Error(reason)))

    def close(self, *, patient: bool = False) -> None:
        """Accepts no more connections, and ends those that are left: `patient`, for as long as they are read from."""
        if self._closing:
            return
        if patient:
            self._ending.in_total = math.inf
        self._closing = True
        self._wake_pipe.wake()
        self._thread.join()
        self._wake_pipe.close()

    def hurry(self) -> None:
        """Ends what is left of the connections at once."""
        self._ending.in_total = 0.0

    def _run(self) -> None:
        while not self._closing:
            self._serve()
        self._poll.unregister(self._listener)
        for handshake in list(self._handshakes.values()):
            self._release(handshake).close()
        for arrival in self.take():
            arrival.connection.close()
        self._ending.begin()
        while self._ending:
            self._serve()

    def _serve(self) -> None:
        for descriptor, _ in self._poll.poll(_TICK * 1000):
            try:
                self._attend(descriptor)
            except Exception:  # be it that there is no memory left: it concerns this connection alone
                if descriptor in self._handshakes:
                    self._release(self._handshakes[descriptor]).close()
        self._refuse_slow_clients()
        self._ending.begin()
        self._ending.expire()

    def _attend(self, descriptor: int) -> None:
        """Something can be read or written, or a connection has ended."""
        if descriptor == self._wake_pipe.fileno():
            self._wake_pipe.clear()
        elif descriptor in self._handshakes:
            self._read(self._handshakes[descriptor])
        elif descriptor in self._ending:
            self._ending.proceed(descriptor)
        elif descriptor == self._listener.fileno():
            self._accept()
        else:
            with self._lock:
                self._drop_those_who_hung_up()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:  # it is gone already, or there are no descriptors left: neither is a reason to stop
            time.sleep(0.01)
            return
        if len(self._handshakes) >= MOST_HANDSHAKES:
            self.refuse(connection, "too many clients are connecting at once; try again")
            return
        connection.setblocking(False)
        self._handshakes[connection.fileno()] = _OpenHandshake(connection, self._max_document)
        self._poll.register(connection, select.POLLIN)

    def _read(self, handshake: _OpenHandshake) -> None:
        try:
            data = handshake.connection.recv(_BUFFER)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._release(handshake).close()
            return
        began = time.monotonic()
        try:
            if not handshake.begun:
                handshake.begun = _is_beginning_of_document(data)
            if self._held() + len(data) > MOST_HELD * self._max_document:
                raise RemoteProtocolError("too many large documents are on their way at once; try again")
            handshake.wire.receive_data(data)
            for event in handshake.wire.events():
                assert isinstance(event, Handshake)
                self._complete(handshake, event.document)
                return
        except UberSimError as error:
            self.refuse(self._release(handshake), str(error))
        except Exception as error:  # whatever a document does, the server lives on
            self.refuse(self._release(handshake), f"the server could not read this document: {error!r}")
        finally:
            self._grant(time.monotonic() - began)

    def _held(self) -> int:
        """Bytes of documents that are not complete, or whose robots have not joined."""
        unread = sum(handshake.wire.held for handshake in self._handshakes.values())
        with self._lock:
            return unread + sum(len(arrival.description.source_text) for arrival in self._waiting.values())

    def _grant(self, seconds: float) -> None:
        """Nobody else could be heard in this time."""
        for handshake in self._handshakes.values():
            handshake.deadline += seconds

    def _complete(self, handshake: _OpenHandshake, document: bytes) -> None:
        if self._token is not None and not hmac.compare_digest(read_token(document), self._token.encode()):
            self.refuse(self._release(handshake), "this server asks for a token; CSettings/Token is missing or wrong")
            return
        early = handshake.wire.trailing_data
        if is_supervisor(document):
            self._supervise(handshake.connection, read_supervisor(document), early)
            self._release(handshake)
            return
        if len(self._waiting) >= self._most_waiting:
            self.refuse(self._release(handshake), f"{len(self._waiting)} robots are waiting to join; try again")
            return
        description = self._read_robot(document)
        arrival = Arrival(self._release(handshake), description, early)
        with self._lock:
            self._waiting[arrival.connection.fileno()] = arrival
            self._poll.register(arrival.connection, select.POLLRDHUP)  # what it says is for its session to read
            self.has_arrivals = True
        self._notify()

    def _drop_those_who_hung_up(self) -> None:
        """A connection that ends while its robot waits to join counts for nothing; with the lock held."""
        if not self._waiting:
            return
        poll = select.poll()
        for descriptor in self._waiting:
            poll.register(descriptor, select.POLLRDHUP)
        for descriptor, events in poll.poll(0):
            if events & _HUNG_UP:
                arrival = self._waiting.pop(descriptor)
                self._poll.unregister(descriptor)
                arrival.connection.close()
                self._note(f"{arrival.description.name} hung up before it joined")
        self.has_arrivals = bool(self._waiting)

    def _refuse_slow_clients(self) -> None:
        now = time.monotonic()
        for handshake in [handshake for handshake in self._handshakes.values() if now > handshake.deadline]:
            self.refuse(self._release(handshake), f"no complete robot document within {LONGEST:g} s")

    def _release(self, handshake: _OpenHandshake) -> socket.socket:
        """Ends the handshake, and leaves the connection to the caller."""
        self._poll.unregister(handshake.connection)
        del self._handshakes[handshake.connection.fileno()]
        return handshake.connection
