"""The supervisors' connections, served by a thread of their own that exists as soon as there is one."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections.abc import Callable

from ubersim.errors import RemoteProtocolError
from ubersim.protocol import Error
from ubersim.protocol.messages import encode
from ubersim.server.supervisor_connection import Request, SupervisorConnection
from ubersim.timing.latency import NEVER

MOST_SUPERVISORS = 64
_TICK = 200.0
"""How long the thread sleeps at most [ms]."""


class SupervisorIO:
    """Requests are collected here until the simulation's thread has time for them."""

    def __init__(self, news: threading.Event, see_out: Callable[[socket.socket, bytes], None]) -> None:
        self.wakes = NEVER
        """The next frame in which the simulation should look here: all that it looks at in the others."""
        self.lines: list[SupervisorConnection] = []
        """Everybody who is connected."""
        self._news = news
        self._see_out = see_out
        self._requests: list[Request] = []
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._alerted = False
        self._bell, self._ring = -1, -1

    def connect(self, line: SupervisorConnection) -> None:
        """A supervisor has arrived."""
        with self._lock:
            if self._thread is None:
                self._bell, self._ring = os.pipe()
                self._thread = threading.Thread(target=self._run, name="switchboard", daemon=True)
                self._thread.start()
            self.lines.append(line)
        self._hear(line)  # it may have sent more than its document
        self.ring()
        self.alert()

    def take(self) -> list[Request]:
        """Whatever has been asked for since the last call."""
        with self._lock:
            requests, self._requests = self._requests, []
            self._alerted = False
        return requests

    def doze(self, frame: int) -> None:
        """There is nothing to do before this frame, unless something has come up since `take`."""
        with self._lock:
            self.wakes = 0 if self._alerted else frame

    def alert(self) -> None:
        """Something has to be looked at."""
        with self._lock:
            self._alerted = True
            self.wakes = 0
        self._news.set()

    def draw(self, robot: str, payload: bytes) -> None:
        """A client has drawn something for those who watch and want to see it."""
        for line in list(self.lines):
            if line.watch is not None and line.watch.drawings:
                line.draw(robot, payload)

    def ring(self) -> None:
        """There is something for the thread to do."""
        if self._ring >= 0:
            os.write(self._ring, b"!")

    def close(self) -> None:
        """Says goodbye to everybody."""
        if self._thread is not None and not self._closing:
            self._closing = True
            self.ring()
            self._thread.join()
            os.close(self._bell)
            os.close(self._ring)

    def _run(self) -> None:
        while not self._closing:
            poll = select.poll()
            poll.register(self._bell, select.POLLIN)
            with self._lock:
                lines = {line.connection.fileno(): line for line in self.lines}
            for descriptor, line in lines.items():
                poll.register(descriptor, select.POLLIN | (select.POLLOUT if line.busy else 0))
            for descriptor, events in poll.poll(self._until_next_picture()):
                if descriptor == self._bell:
                    os.read(self._bell, 4096)
                    continue
                if events & select.POLLOUT:
                    lines[descriptor].write()
                if events & ~select.POLLOUT:
                    self._hear(lines[descriptor])
            for line in lines.values():
                if line.gone:
                    self._hang_up(line)
        for line in list(self.lines):
            self._hang_up(line)

    def _until_next_picture(self) -> float:
        """Milliseconds; asks for the pictures whose time has come."""
        now, soonest = time.monotonic(), _TICK
        for line in list(self.lines):
            if line.watch is not None and line.watch.hertz:
                if now >= line.next_picture:
                    line.next_picture = max(line.next_picture + 1 / line.watch.hertz, now)
                    line.wanted = True
                    self.alert()
                soonest = min(soonest, 1000 * (line.next_picture - now))
        return max(soonest, 1.0)

    def _hear(self, line: SupervisorConnection) -> None:
        try:
            requests = line.read()
        except RemoteProtocolError as error:
            self._hang_up(line, encode(Error(str(error))))
            return
        if requests:
            with self._lock:
                self._requests += requests
            self.alert()

    def _hang_up(self, line: SupervisorConnection, last_words: bytes = b"") -> None:
        with self._lock:
            if line not in self.lines:
                return
            self.lines.remove(line)
        line.gone = True
        self._see_out(line.connection, last_words)
        self.alert()
