"""The server's loop: one frame after the other, as soon as every client allows it."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from ubersim.description import read_robot
from ubersim.errors import ExplodedError, SensingError, UberSimError
from ubersim.protocol.fast import ACK_HEAD, TIME_OF_FRAME, FrameWriter
from ubersim.robot import Robot
from ubersim.server.lobby import Arrival, Lobby
from ubersim.server.pace import Pace
from ubersim.server.session import TICK, Session
from ubersim.simulation import Simulation

PROTOCOL = 1
_BATCH = 8
"""Frames that may wait for a send while the server runs ahead of the acknowledgements."""


_MOST_EXPLOSIONS = 1000
"""In one frame: each takes at least one robot, or puts the world's own objects back to where they started."""


class _Stopped(Exception):
    """Somebody wants the server to end while it waits."""


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
    ) -> None:
        self.simulation = simulation
        self.sessions: dict[str, Session] = {}
        """The clients whose robots are in the world, by name, in order of joining."""
        self.pace = Pace(rate, simulation.step_size)
        self.slowest = ""
        """Whom the server waited for last."""
        self._clients = clients
        self._timeout = timeout
        self._lookahead = lookahead
        self._digest = digest
        self._report = report
        self._watch = watch
        self._next_report = 0.0
        self._stopping = False
        self._backlog = False
        self._writer = FrameWriter()
        self._listener = _listen(host, port)
        self._lobby = Lobby(self._listener, self._read, token=token)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that clients connect to."""
        host, port = self._listener.getsockname()[:2]
        return host, port

    def run(self, frames: int | None = None) -> None:
        """Simulates that many frames, or until it is told to stop."""
        try:
            self._gather(self._clients or 0)
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
            session.leave(self._lobby)
        self.sessions.clear()
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
        if self._lobby.crowded or not self.sessions:
            self._join()
        self.pace.frame_begins()
        self._begin_frame()
        if self._watch is not None:
            self._watch(self)
        if behind := self._send():
            self._flush()
            self._wait_for(behind)
        self._finish_frame()
        self._keep_pace()

    # Joining

    def _read(self, document: bytes) -> Any:
        return read_robot(document, materials=self.simulation.materials)

    def _gather(self, wanted: int) -> None:
        """Waits until that many robots stand ready, so that they start together at frame 0."""
        ready: list[Arrival] = []
        while len(ready) < wanted:
            self._idle()
            ready += self._lobby.take()
        self._admit(sorted(ready, key=lambda arrival: arrival.description.settings.name))

    def _join(self) -> None:
        """Takes in whoever has arrived. A world without robots stands still, unless it is said to need none."""
        self._admit(self._lobby.take())
        while not self.sessions and self._clients != 0:
            self._idle()
            self._admit(self._lobby.take())

    def _idle(self) -> None:
        """Nothing can be done before somebody comes."""
        self.pace.stand_still()
        self._lobby.arrived.wait(TICK)
        if self._stopping:
            raise _Stopped
        self._show_progress()

    def _admit(self, arrivals: Iterable[Arrival]) -> None:
        for arrival in arrivals:
            try:
                robot = self.simulation.spawn(arrival.description)
            except UberSimError as error:
                self._lobby.refuse(arrival.connection, str(error))
                continue
            session = Session(arrival.connection, robot, self._welcome(robot), lookahead=self._lookahead)
            self.sessions[robot.name] = session
            if arrival.early:
                session.take(arrival.early)

    def _welcome(self, robot: Robot) -> dict[str, object]:
        now = {"protocol": PROTOCOL, "step": self.simulation.step_size, "frame": self.simulation.frame}
        return now | robot.introduction()

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
        if self._digest is not None:
            self._digest.write(f"{frame} {simulation.digest()}\n")
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

    def _wait_for(self, behind: list[Session]) -> None:
        """Until all of them allow this frame to be executed, or have gone: then their robots leave, and not sooner."""
        frame = self.simulation.frame
        for session in behind:
            since = 0.0
            while session.allowed < frame and session.gone is None:
                if self._backlog:
                    self._serve_everybody(TICK)
                elif session.receive():
                    if session.allowed < frame:
                        session.hurry()
                    continue
                since = since or time.monotonic()
                self._while_waiting(session, time.monotonic() - since)
            if session.gone is not None and session.leaves_at <= frame:
                self._remove(session.robot.name)

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

    def _while_waiting(self, session: Session, seconds: float) -> None:
        if self._stopping:
            raise _Stopped
        self.slowest = session.robot.name
        self._show_progress()
        if self._timeout and seconds > self._timeout:
            session.dismiss(f"silent for more than {self._timeout:g} s")

    def _flush(self) -> None:
        self._backlog = False
        for session in self.sessions.values():
            if session.flush():
                self._backlog = True

    def _remove(self, name: str) -> None:
        self.simulation.remove(name)
        self.sessions.pop(name).leave(self._lobby)

    def _finish_frame(self) -> None:
        """Robots whose bodies leave the finite world leave the server; the step is then taken without them."""
        for _ in range(_MOST_EXPLOSIONS):
            try:
                return self.simulation.finish_frame()
            except ExplodedError as error:
                for name in self.simulation.names_of(error.owners):
                    self.sessions[name].dismiss(str(error))
                    self._remove(name)
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
