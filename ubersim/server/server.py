"""The server's loop: one frame after the other, as soon as every client allows it."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from ubersim.description import read_robot
from ubersim.errors import ExplodedError, SensingError, UberSimError
from ubersim.protocol import Welcome
from ubersim.protocol.messages import encode
from ubersim.protocol.server_lane import ACK_HEAD, TIME_OF_FRAME, FrameWriter
from ubersim.server.handshake import Arrival, HandshakeDesk
from ubersim.server.real_time import RealTime
from ubersim.server.session import TICK, Session
from ubersim.server.supervision import Supervision
from ubersim.server.supervisor_connection import SupervisorConnection, read_supervisor
from ubersim.server.supervisor_io import MOST_SUPERVISORS, SupervisorIO
from ubersim.simulation import Simulation
from ubersim.simulation.digest import DigestWriter
from ubersim.simulation.robot import Robot
from ubersim.transport.spin_wait import CORES

PROTOCOL = 1
_BATCH = 8
"""Frames that may wait for a send while the server runs ahead of the acknowledgements."""


_MOST_EXPLOSIONS = 1000
"""In one frame: each takes at least one robot, or puts the world's own objects back to where they started."""


class _Stopped(BaseException):
    """Somebody wants the server to end while it waits. No error, so that nobody who handles errors stops it."""


class Server:
    """Serves one simulation to robots that come and go."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        host: str = "127.0.0.1",
        port: int = 9040,
        clients: int | None = None,
        rate: float = 0.0,
        timeout: float = 0.0,
        lookahead: bool = True,
        token: str | None = None,
        digest: TextIO | None = None,
        report: Callable[[Server], None] | None = None,
        watch: Callable[[Server], None] | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`report` shows how it goes, now and then; `watch` sees every frame; `note` is told who comes and goes."""
        self.simulation = simulation
        self.sessions: dict[str, Session] = {}
        """The clients whose robots are in the world, by name, in order of joining."""
        self.pace = RealTime(rate, simulation.step_size)
        self.slowest = ""
        """Whom the server waited for last."""
        self._clients = clients
        self._timeout = timeout
        self._lookahead = lookahead
        if digest is not None:
            simulation.observers.append(DigestWriter(simulation, digest))
        self._report = report
        self._watch = watch
        self._note = note
        self._next_report = 0.0
        self._stopping = False
        self._backlog = False
        self._wanted = clients or 0  # robots that have to be there before time begins
        self._writer = FrameWriter()
        self._listener = _listen(host, port)
        self._news = threading.Event()
        self._lobby = HandshakeDesk(
            self._listener, self._read, self._news, token=token, supervise=self._connect_supervisor, note=note
        )
        self._switchboard = SupervisorIO(self._news, self._lobby.see_out)
        self._supervision = Supervision(self, self._switchboard)
        self._lobby.open()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that clients connect to."""
        host, port = self._listener.getsockname()[:2]
        return host, port

    def run(self, frames: int | None = None) -> None:
        """Simulates that many frames, or until it is told to stop."""
        try:
            while frames is None or self.simulation.frame < frames:
                self._frame()
        except _Stopped:
            pass

    def stop(self) -> None:
        """Ends `run`, from another thread or a signal handler."""
        self._stopping = True

    def close(self) -> None:
        """Says goodbye to everybody."""
        for session in self.sessions.values():
            session.leave(self._lobby.see_out)
        self.sessions.clear()
        self._switchboard.close()
        self._lobby.close()
        self._listener.close()
        self.simulation.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _frame(self) -> None:
        if self._stopping:
            raise _Stopped
        if self._lobby.crowded and not self._wanted:
            self._admit(self._lobby.take())
        self.pace.frame_begins()
        self._begin_frame()
        behind = self._send()
        if self._switchboard.wakes <= self.simulation.frame or not self.sessions:
            behind = self._stand()
        if self._watch is not None:
            self._watch(self)
        self.simulation.settle_frame()
        while behind:
            self._flush()
            behind = self._wait_for(behind)
        self._finish_frame()
        self._keep_pace()

    # Joining

    def _read(self, document: bytes) -> Any:
        return read_robot(document, materials=self.simulation.materials)

    def _connect_supervisor(self, connection: socket.socket, document: bytes, early: bytes) -> None:
        """In the lobby's thread."""
        name = read_supervisor(document)
        if len(self._switchboard.lines) >= MOST_SUPERVISORS:
            raise UberSimError(f"{MOST_SUPERVISORS} supervisors are here already")
        line = SupervisorConnection(connection, name, self._switchboard.ring)
        line.receive_data(early)
        line.say(encode(Welcome(self._now() | {"name": name, "supervisor": True})))
        self._switchboard.connect(line)

    def _stand(self) -> list[Session]:
        """Serves the supervisors, and lets robots in, for as long as time stands still. Returns whose acks are missing.

        A world without robots stands still, unless it is said to need none, or a supervisor wants it to go on.
        """
        ready: list[Arrival] = []
        while True:
            self._news.clear()
            if self._lobby.crowded:
                ready += self._lobby.take()
            if len(ready) >= self._wanted:
                self._wanted = 0
                self._admit(sorted(ready, key=lambda arrival: arrival.description.name))
                ready.clear()
            self._supervision.attend()
            robots = bool(self.sessions) or self._clients == 0
            if not self._wanted and not self._supervision.stands_still(robots):
                break
            self._send_missing()
            self._flush()
            self._idle()
        self.pace.go_on()
        return self._send_missing()

    def _idle(self) -> None:
        """Nothing can be done before something happens."""
        self.pace.stand_still()
        self._news.wait(TICK)
        if self._stopping:
            raise _Stopped
        self._show_progress()

    # What supervisors need

    def settle(self) -> None:
        """Waits until every client has answered the current frame."""
        self._send_missing()
        self._flush()
        for session in list(self.sessions.values()):
            since = time.monotonic()
            while session.robot.commands.acked < session.sent and session.gone is None:
                if self._backlog or not session.receive():
                    self._while_waiting(session, since)

    def accommodate(self, *, timeless: bool) -> None:
        """Robots may have come or gone; if it was not timeless, everything may be as in another frame."""
        for name, session in list(self.sessions.items()):
            robot = self.simulation.robots.get(name)
            if robot is None or robot.identity() != session.robot.identity():
                session.dismiss("a supervisor has taken this robot out of the world")
                self._see_out(self.sessions.pop(name))
            elif timeless:
                session.reconsider()
            else:
                session.go_on_with(robot)

    def _admit(self, arrivals: Iterable[Arrival]) -> None:
        for arrival in arrivals:
            try:
                robot = self.simulation.spawn(arrival.description)
            except Exception as error:  # also whatever a component of somebody else's raises
                self._lobby.refuse(arrival.connection, str(error) or repr(error))
                continue
            welcome, draw = self._welcome(robot), self._switchboard.draw
            session = Session(arrival.connection, robot, welcome, lookahead=self._lookahead, draw=draw)
            self.sessions[robot.name] = session
            self._note(f"{robot.name} joined in frame {self.simulation.frame}")
            if arrival.early:
                session.take(arrival.early)

    def _welcome(self, robot: Robot) -> dict[str, object]:
        return self._now() | robot.introduction()

    def _now(self) -> dict[str, object]:
        return {"protocol": PROTOCOL, "step": self.simulation.step_size, "frame": self.simulation.frame}

    # A frame

    def _begin_frame(self) -> None:
        """Robots whose sensors fail leave the server; the others sense without them."""
        while True:
            try:
                return self.simulation.begin_frame()
            except SensingError as error:
                self._remove(error.robot, str(error))

    def _send(self) -> list[Session]:
        """Queues the frame for everybody, and returns those whose acks it has to wait for."""
        simulation, writer = self.simulation, self._writer
        frame, now = simulation.frame, simulation.time
        empty = writer.frame(now)
        answer = ACK_HEAD + empty[TIME_OF_FRAME]
        behind = []
        for session in self.sessions.values():
            readings = session.robot.readings
            session.queue(frame, writer.frame(now, readings) if readings else empty, answer)
            if session.allowed < frame:
                behind.append(session)
        if not behind and (frame % _BATCH == 0 or self.pace.rate):
            self._flush()
        return behind

    def _send_missing(self) -> list[Session]:
        """The same, but whoever has had the frame does not get it again."""
        frame, now = self.simulation.frame, self.simulation.time
        for session in self.sessions.values():
            if session.sent < frame:
                session.queue(frame, self._writer.frame(now, session.robot.readings), b"")
        return [session for session in self.sessions.values() if session.allowed < frame]

    def _wait_for(self, behind: list[Session]) -> list[Session]:
        """Until all of them allow this frame to be executed, or have gone: then their robots leave, and not sooner.

        Returns whom to wait for after a supervisor had to be served in between.
        """
        frame = self.simulation.frame
        soon = self._company() < CORES
        for session in behind:
            since = 0.0
            while session.allowed < frame and session.gone is None:
                if not self._backlog and session.receive(soon=soon):
                    if session.allowed < frame:
                        session.hurry()
                    continue
                since = since or time.monotonic()
                self._while_waiting(session, since)
                if self._switchboard.wakes <= frame:
                    return self._stand()
            if session.gone is not None and session.leaves_at <= frame:
                self._remove(session.robot.name)
        return []

    def _company(self) -> int:
        """How many processes, besides this one, want a core: while it looks for an answer, theirs are theirs."""
        return len(self.sessions) + len(self._switchboard.lines) + self.simulation.cameras.workers

    def _serve_everybody(self, seconds: float) -> None:
        """The slow path: somebody does not take what he is sent, and may have to before others can go on."""
        self._flush()
        sessions = {session.fileno(): session for session in self.sessions.values() if session.gone is None}
        poll = select.poll()
        for descriptor, session in sessions.items():
            poll.register(descriptor, select.POLLIN | (select.POLLOUT if session.backlog else 0))
        for descriptor, events in poll.poll(seconds * 1000):
            session = sessions[descriptor]
            if events & select.POLLOUT:
                session.flush()
            if events & ~select.POLLOUT:
                session.receive(socket.MSG_DONTWAIT)

    def _while_waiting(self, session: Session, since: float) -> None:
        """One tick has brought nothing."""
        if self._stopping:
            raise _Stopped
        if self._backlog:
            self._serve_everybody(TICK)
        self.slowest = session.robot.name
        self._show_progress()
        if self._timeout and time.monotonic() - since > self._timeout:
            session.dismiss(f"silent for more than {self._timeout:g} s")

    def _flush(self) -> None:
        self._backlog = False
        for session in self.sessions.values():
            if session.flush():
                self._backlog = True

    def _remove(self, name: str, reason: str = "") -> None:
        self.simulation.remove(name)
        if name in self.sessions:  # a supervisor's robots have no client
            session = self.sessions.pop(name)
            if reason:
                session.dismiss(reason)
            self._see_out(session)

    def _see_out(self, session: Session) -> None:
        self._note(f"{session.robot.name} left in frame {self.simulation.frame}: {session.gone}")
        session.leave(self._lobby.see_out)

    def _finish_frame(self) -> None:
        """Robots whose bodies leave the finite world leave the server; the step is then taken without them."""
        for _ in range(_MOST_EXPLOSIONS):
            try:
                return self.simulation.finish_frame()
            except ExplodedError as error:
                for name in self.simulation.names_of(error.owners):
                    self._remove(name, str(error))
        raise UberSimError(f"the world does not get over frame {self.simulation.frame}")

    def _keep_pace(self) -> None:
        if self.pace.rate and (ahead := self.pace.ahead()) > 0:
            time.sleep(ahead)
        if self._report is not None and self.simulation.frame % 64 == 0:
            self._show_progress()

    def _show_progress(self) -> None:
        now = time.monotonic()
        if self._report is not None and now >= self._next_report:
            self._next_report = now + 0.5
            self._report(self)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise UberSimError(f"cannot listen on {host}:{port}: {error.strerror}") from None
