"""A supervisor's connection: requests go out, answers, pictures of the truth and drawings come in."""

from __future__ import annotations

import contextlib
import itertools
import socket
import time
from collections import deque
from typing import Any

from ubersim.errors import RefusedError, RemoteProtocolError, UberSimError
from ubersim.protocol import Error, Handshake, Welcome
from ubersim.protocol.drawings import read_drawing
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.picture import PictureReader
from ubersim.protocol.supervisor_connection import SupervisorClientEnd, supervisor_document
from ubersim.protocol.supervisor_events import (
    ForwardedDrawing,
    ForwardedLog,
    Request,
    RequestDone,
    RequestFailed,
    ToSupervisor,
)
from ubersim.protocol.to_json import to_json

_KEPT = 256
"""Pictures, and drawings, that wait to be looked at; older ones are forgotten."""
_LOGS_KEPT = 1 << 14
"""Entries of programs' logs that wait to be looked at."""
_BUFFER = 1 << 18
_MOST_UNREAD = 32
"""Of such buffers, no more than which a socket holds."""

LoggedEntry = tuple[str, float, LogEntry]
"""Robot, time [s], and what its program logged."""
Drawing = tuple[str, str, dict[str, Any]]
"""Robot, name of the drawing, and what it is."""


class RequestConnection:
    """Each answer goes to the call that asked; what is watched is kept until it is looked at."""

    def __init__(self, connection: socket.socket, name: str, token: str | None) -> None:
        self._socket = connection
        self._wire = SupervisorClientEnd()
        self._numbers = itertools.count(1)
        self._answers: dict[int, RequestDone | RequestFailed] = {}
        self._scheduled: dict[int, str] = {}
        self._failed: deque[str] = deque()  # of what was scheduled, and nobody was told of yet
        self._reader = PictureReader()
        self._pictures: deque[GroundTruth] = deque(maxlen=_KEPT)
        self._drawings: deque[Drawing] = deque(maxlen=_KEPT)
        self._logs: deque[LoggedEntry] = deque(maxlen=_LOGS_KEPT)
        self._welcome: Welcome | None = None
        self.frame: int = 0
        """The frame of the last answer."""
        self.picture: GroundTruth | None = None
        """The last one that was asked for by itself."""
        connection.sendall(self._wire.send(Handshake(supervisor_document(name, token))))
        while self._welcome is None:
            self._receive(None)
        self.welcome: Welcome = self._welcome
        """What the server said first."""

    def close(self) -> None:
        """Leaves."""
        self._socket.close()

    def ask(self, verb: str, frame: int | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and returns what the answer says; for a frame to come, nothing, at once.

        What was scheduled and has failed meanwhile is raised: before anything is sent, if that is known by then.
        """
        self._tell_failures()
        number = next(self._numbers)
        values = {name: to_json(value) for name, value in arguments.items()}
        self._socket.sendall(self._wire.send(Request(verb, number, frame, values)))
        if frame is not None:
            self._scheduled[number] = f"{verb}, scheduled for frame {frame}"
            return {}
        while number not in self._answers:
            self._receive(None)
        result = self._result(self._answers.pop(number))
        self._tell_failures()
        return result

    def hear_out(self) -> None:
        """Takes what has come by now; what was scheduled and has failed is raised."""
        with contextlib.suppress(OSError, UberSimError):  # such as that the run has ended
            for _ in range(_MOST_UNREAD):
                if not self._scheduled or not self._receive(0.0):
                    break
        self._tell_failures()

    def _tell_failures(self) -> None:
        if self._failed:
            raise UberSimError(self._failed.popleft())

    def next_picture(self, timeout: float | None) -> GroundTruth | None:
        """The next picture of those that are watched; None if none comes in time [s]."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._pictures:
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or not self._receive(left):
                return None
            self._tell_failures()
        return self._pictures.popleft()

    def take_drawings(self) -> list[Drawing]:
        """What has come since the last call."""
        taken = list(self._drawings)
        self._drawings.clear()
        return taken

    def take_logs(self) -> list[LoggedEntry]:
        """What programs have logged since the last call."""
        taken = list(self._logs)
        self._logs.clear()
        return taken

    def _result(self, answer: RequestDone | RequestFailed) -> dict[str, Any]:
        self.frame = answer.frame
        if isinstance(answer, RequestFailed):
            raise UberSimError(answer.reason)
        return dict(answer.reply)

    def _receive(self, timeout: float | None) -> bool:
        """Takes what comes; False if nothing did in time."""
        if self._take_all():  # what a call that failed has left
            return True
        self._socket.settimeout(timeout)
        try:
            data = self._socket.recv(_BUFFER)
        except TimeoutError:
            return False
        finally:
            self._socket.settimeout(None)
        if not data:
            raise RefusedError("the server has ended, or closed the connection without a word")
        self._wire.receive_data(data)
        self._take_all()
        return True

    def _take_all(self) -> bool:
        """Takes what has come in already; False if that was nothing."""
        took = False
        for event in self._wire.events():
            took = True
            self._take(event)
        return took

    def _take(self, event: ToSupervisor) -> None:
        match event:
            case Welcome():
                self._welcome, self.frame = event, event.frame
            case Error(text):
                raise RefusedError(text)
            case RequestDone() | RequestFailed():
                self._take_answer(event)
            case ForwardedDrawing(robot, payload):
                with contextlib.suppress(RemoteProtocolError):  # a client may have sent whatever it liked
                    self._drawings.append((robot, *read_drawing(payload)))
            case ForwardedLog(robot, seconds, entry):
                self._logs.append((robot, seconds, entry))
            case _:
                if (picture := self._reader.read(event)) is not None:
                    self._pictures.append(picture)

    def _take_answer(self, answer: RequestDone | RequestFailed) -> None:
        if isinstance(answer, RequestDone) and answer.reply.get("picture"):
            self.picture = self._pictures.pop()  # it came right before
        if (request := self._scheduled.pop(answer.id, None)) is None:
            self._answers[answer.id] = answer
        elif isinstance(answer, RequestFailed):
            self._failed.append(f"{request}: {answer.reason}")
