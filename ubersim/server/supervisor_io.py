"""The supervisors' connections, served by a thread of their own that exists as soon as there is one."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable

from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.protocol import Error, Welcome
from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.messages import encode
from ubersim.server.supervisor_connection import ReceivedRequest, SupervisorConnection
from ubersim.timing.latency import NEVER
from ubersim.transport.wake_pipe import WakePipe

MOST_SUPERVISORS = 64
_TICK = 0.2
"""How long the thread sleeps at most [s]."""


class SupervisorIO:
    """Requests are collected here until the simulation's thread has time for them."""

    def __init__(self, notify: Callable[[], None], close_connection: Callable[[socket.socket, bytes], None]) -> None:
        """`notify` wakes the simulation's thread if it waits; `close_connection` sends the last bytes and closes."""
        self.next_frame = NEVER
        """The next frame in which the simulation has to look here: all that it looks at in the others."""
        self.connections: list[SupervisorConnection] = []
        self._notify = notify
        self._close_connection = close_connection
        self._requests: list[ReceivedRequest] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake_pipe: WakePipe | None = None
        self._closing = False
        self._has_news = self._has_left = False

    def connect(self, connection: socket.socket, welcome: Welcome, early: bytes) -> None:
        """Serves a supervisor that has arrived; `early` is what it has sent after its document already."""
        if len(self.connections) >= MOST_SUPERVISORS:
            raise UberSimError(f"{MOST_SUPERVISORS} supervisors are here already")
        supervisor = SupervisorConnection(connection, welcome.name, early, self._wake_thread)
        with self._lock:
            if self._closing:
                raise UberSimError("the server ends")
            supervisor.send(welcome)
            if self._thread is None:
                self._wake_pipe = WakePipe()
                self._thread = threading.Thread(target=self._run, name="supervisors", daemon=True)
                self._thread.start()
            self.connections.append(supervisor)
        self._wake_thread()  # which reads what came early, too: a connection is read by one thread alone
        self._wake_simulation()

    def take_requests(self) -> list[ReceivedRequest]:
        """What has been asked for since the last call."""
        with self._lock:
            requests, self._requests = self._requests, []
            self._has_news = False
        return requests

    def supervisor_has_left(self) -> bool:
        """Whether a supervisor has left since the last call."""
        with self._lock:
            has_left, self._has_left = self._has_left, False
        return has_left

    def sleep_until(self, frame: int) -> None:
        """There is nothing to do before this frame, unless something has come in since `take_requests`."""
        with self._lock:
            self.next_frame = 0 if self._has_news else frame

    def forward_drawing(self, robot: str, payload: bytes) -> None:
        """A client has drawn something for those who watch and want to see it."""
        for connection in list(self.connections):
            connection.draw(robot, payload)

    def forward_log(self, robot: str, seconds: float, entry: LogEntry) -> None:
        """A program has logged something, for those who watch and want to know."""
        for connection in list(self.connections):
            connection.log(robot, seconds, entry)

    @property
    def logs_are_watched(self) -> bool:
        """Whether a supervisor wants to know what programs log."""
        subscriptions = [connection.subscription for connection in list(self.connections)]
        return any(subscription is not None and subscription.logs for subscription in subscriptions)

    def close(self) -> None:
        """Ends all connections; from now on, new ones are refused."""
        with self._lock:
            was_closing, self._closing = self._closing, True
        if self._thread is not None and self._wake_pipe is not None and not was_closing:
            self._wake_thread()
            self._thread.join()
            self._wake_pipe.close()

    def _wake_simulation(self) -> None:
        with self._lock:
            self._has_news = True
            self.next_frame = 0
        self._notify()

    def _wake_thread(self) -> None:
        if self._wake_pipe is not None:
            self._wake_pipe.wake()

    def _run(self) -> None:
        assert self._wake_pipe is not None
        while not self._closing:
            self._serve(self._wake_pipe)
        for connection in list(self.connections):
            self._disconnect(connection)

    def _serve(self, wake_pipe: WakePipe) -> None:
        """Reads and writes once, as soon as something can be read or written, or a picture is due."""
        with self._lock:
            connections = {connection.connection.fileno(): connection for connection in self.connections}
        poll = select.poll()
        poll.register(wake_pipe, select.POLLIN)
        for descriptor, connection in connections.items():
            poll.register(descriptor, select.POLLIN | (select.POLLOUT if connection.is_writing else 0))
        for connection in connections.values():
            if not connection.was_read:
                self._exchange(connection, select.POLLIN)
        for descriptor, events in poll.poll(1000 * self._seconds_to_next_picture()):
            if descriptor == wake_pipe.fileno():
                wake_pipe.clear()
            else:
                self._exchange(connections[descriptor], events)
        for connection in connections.values():
            if connection.gone:
                self._disconnect(connection)

    def _exchange(self, connection: SupervisorConnection, events: int) -> None:
        """Writes and reads what can be written and read; whatever goes wrong concerns this supervisor alone."""
        try:
            if events & select.POLLOUT:
                connection.write()
                if connection.waiting and not connection.is_busy:
                    self._wake_simulation()
            if events & ~select.POLLOUT:
                self._read(connection)
        except RemoteProtocolError as error:
            self._disconnect(connection, encode(Error(str(error))))
        except Exception as error:
            self._disconnect(connection, encode(Error(f"the server could not read this: {error!r:.200}")))

    def _seconds_to_next_picture(self) -> float:
        """How long the thread may sleep [s]; tells the simulation of the pictures whose time has come."""
        now, soonest = time.monotonic(), _TICK
        for connection in list(self.connections):
            subscription = connection.subscription
            if subscription is not None and subscription.hertz:
                if subscription.becomes_due(now):
                    self._wake_simulation()
                soonest = min(soonest, subscription.next_time - now)
        return max(soonest, 0.001)

    def _read(self, connection: SupervisorConnection) -> None:
        requests = connection.read()
        if requests:
            with self._lock:
                self._requests += requests
            self._wake_simulation()

    def _disconnect(self, connection: SupervisorConnection, last_bytes: bytes = b"") -> None:
        with self._lock:
            if connection not in self.connections:
                return
            self.connections.remove(connection)
            self._has_left = True
        connection.gone = True
        self._close_connection(connection.connection, connection.take_rest() + last_bytes)
        self._wake_simulation()
