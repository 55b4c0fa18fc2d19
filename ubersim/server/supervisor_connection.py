"""One supervisor's connection: requests come in, answers and pictures of the truth go out; nothing waits for it."""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ubersim.errors import ProtocolError, RemoteProtocolError
from ubersim.protocol.log_entries import LogEntry
from ubersim.protocol.picture import EncodedPicture
from ubersim.protocol.supervisor_connection import SupervisorServerEnd
from ubersim.protocol.supervisor_events import ForwardedLog, Request, RequestDone, RequestFailed, ToSupervisor
from ubersim.server.outbox import Outbox
from ubersim.supervision import CommandContext, Reply, SupervisorCommand
from ubersim.supervision.subscription import Subscription
from ubersim.timing.latency import NEVER
from ubersim.transport.connect import notice_loss, send_at_once

MOST_REQUESTS = 65_536
"""That may wait for their answers."""
MOST_REQUESTED = 32 * 2**20
"""What these may have [bytes]; a single one may have more."""
_BUFFER = 1 << 18


class SupervisorConnection:
    """Used by two threads: that of `SupervisorIO` reads and writes, that of the simulation answers."""

    def __init__(self, connection: socket.socket, name: str, early: bytes, wake_io: Callable[[], None]) -> None:
        """`early` is what came after its document already; `wake_io` lets the other thread look at it anew."""
        self.name = name
        self.connection = connection
        self.gone = False
        self.was_read = False
        """Whether what came early has been looked at."""
        self.subscription: Subscription | None = None
        """What it watches."""
        self.unfinished: list[UnfinishedRequest] = []
        """What is under way for it."""
        self.waiting: deque[ReceivedRequest] = deque()
        """What comes after that."""
        self._wake_io = wake_io
        self._wire = SupervisorServerEnd()
        self._wire.receive_data(early)
        self._outbox = Outbox(connection)
        self._unanswered = self._unanswered_bytes = 0
        self._lock = threading.Lock()
        connection.setblocking(False)
        send_at_once(connection)
        notice_loss(connection)

    @property
    def next_frame(self) -> int:
        """The next frame in which there is something to do for it, if it asks for nothing until then."""
        subscription = self.subscription
        picture = NEVER if subscription is None else subscription.next_frame
        return min([picture, *(request.next_frame for request in self.unfinished)])

    @property
    def is_writing(self) -> bool:
        """Whether there is something to be sent."""
        return not self._outbox.is_empty

    @property
    def is_busy(self) -> bool:
        """Whether its next request has to wait: one is under way, or too many answers have not been read."""
        return bool(self.unfinished) or self._outbox.congested

    def take_rest(self) -> bytes:
        """What is still to be sent, if it is to be sent by another."""
        return self._outbox.take_rest()

    def send(self, event: ToSupervisor) -> None:
        """Sends an event, now or as soon as the other side takes it."""
        self._sent(self._outbox.send(self._wire.send(event)))

    def answer(self, request: Request, event: RequestDone | RequestFailed) -> None:
        """Answers one of its requests."""
        with self._lock:
            self._unanswered -= 1
            self._unanswered_bytes -= request.size
        self.send(event)

    def show(self, picture: EncodedPicture) -> None:
        """Sends a picture that was asked for."""
        self._sent(self._outbox.show_surely(picture))

    def show_next(self, picture: EncodedPicture) -> None:
        """Sends one of the pictures that it watches, unless a later one is there before it can be sent."""
        self._sent(self._outbox.show(picture))

    def subscribe(self, subscription: Subscription | None) -> None:
        """From now on it watches something else."""
        self.subscription = subscription
        self._wake_io()

    def leave(self) -> None:
        """Ends the connection; what is on its way is still sent."""
        self.subscription, self.gone = None, True
        self._wake_io()

    def draw(self, robot: str, payload: bytes) -> None:
        """Keeps a drawing for the next picture, if it wants to see drawings."""
        subscription = self.subscription
        if subscription is not None and subscription.drawings and self._outbox.keep_drawing(robot, payload):
            subscription.forget()

    def log(self, robot: str, seconds: float, entry: LogEntry) -> None:
        """Keeps what a program logs for the next picture, if it wants to know of that."""
        subscription = self.subscription
        if subscription is not None and subscription.logs:
            self._outbox.keep_log(ForwardedLog(robot, seconds, entry))
            subscription.forget()

    def read(self) -> list[ReceivedRequest]:
        """What has come in."""
        self.was_read = True
        try:
            data = self.connection.recv(_BUFFER)
            self.gone = self.gone or not data
            self._wire.receive_data(data)
        except BlockingIOError:
            pass
        except OSError:
            self.gone = True
        requests = [ReceivedRequest(self, request) for request in self._wire.events()]
        with self._lock:
            self._unanswered += len(requests)
            self._unanswered_bytes += sum(received.request.size for received in requests)
        if self._unanswered > MOST_REQUESTS:
            raise RemoteProtocolError(f"more than {MOST_REQUESTS} requests are waiting for their answers")
        if self._unanswered > 1 and self._unanswered_bytes > MOST_REQUESTED:
            raise RemoteProtocolError(f"requests of more than {MOST_REQUESTED} bytes are waiting for their answers")
        return requests

    def write(self) -> None:
        """Sends what can be sent without waiting."""
        self._outbox.write()
        self.gone = self.gone or self._outbox.broken

    def _sent(self, all_of_it: bool) -> None:
        self.gone = self.gone or self._outbox.broken
        if not all_of_it:
            self._wake_io()


@dataclass(frozen=True, eq=False)
class ReceivedRequest:
    """A request, and who asks."""

    connection: SupervisorConnection
    request: Request

    def done(self, frame: int, reply: Reply) -> None:
        """It has been done, in this frame."""
        answer = RequestDone(self.request.id, frame, reply.to_json())
        try:
            self.connection.answer(self.request, answer)
        except ProtocolError as error:  # a reply that has no JSON form
            self.connection.send(RequestFailed(self.request.id, frame, f"the server could not say this: {error}"))

    def failed(self, frame: int, reason: str) -> None:
        """It could not be done."""
        self.connection.answer(self.request, RequestFailed(self.request.id, frame, reason))


@dataclass(eq=False)
class UnfinishedRequest:
    """A request that was executed, but takes frames until it is done."""

    received: ReceivedRequest
    command: SupervisorCommand
    context: CommandContext
    reply: Reply
    next_frame: int = NEVER
    """When to ask the command again whether it is done."""
