"""The clients whose robots are in the world: frames go out to all of them, acknowledgements are waited for."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable

from ubersim.protocol.end import EndReason
from ubersim.protocol.server_lane import ACK_HEAD, TIME_OF_FRAME, FrameWriter
from ubersim.server.session import TICK, Session
from ubersim.simulation import Simulation
from ubersim.transport.connect import UNREACHABLE

_BATCH = 8
"""Frames that may wait for a send while the server runs ahead of the acknowledgements."""


class ClientSessions:
    """A client that has gone stays until its robot leaves, in the frame that its acks determine."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        timeout: float,
        may_spin: Callable[[], bool],
        while_waiting: Callable[[], None],
        interrupted: Callable[[], bool],
        close_connection: Callable[[socket.socket, bytes], None],
        note: Callable[[str], None],
    ) -> None:
        """A client that is waited for and acknowledges nothing for `timeout` seconds is dropped; 0: never.

        `may_spin`: whether there is a core on which to look for answers without sleeping. `while_waiting` is called
        whenever a client is still behind, and may end the wait by an exception; `interrupted` says whether something
        else has to be done first. `close_connection` sends the last bytes and closes; `note` hears who leaves, and why.
        """
        self.sessions: dict[str, Session] = {}
        """By the robots' names, in order of joining."""
        self.slowest = ""
        """The robot whose client was waited for last."""
        self._simulation = simulation
        self._timeout = timeout
        self._may_spin = may_spin
        self._while_waiting = while_waiting
        self._interrupted = interrupted
        self._close_connection = close_connection
        self._note = note
        self._writer = FrameWriter()
        self._backlog = False
        self._waited_for: tuple[Session, int, int] | None = None  # and what it had acknowledged and read then
        self._waiting_since = 0.0

    def add(self, session: Session) -> None:
        """A robot has joined."""
        self.sessions[session.robot.name] = session

    def remove(self, robot: str, reason: str = "") -> None:
        """Takes a robot out of the world; its client, if it has one, is told why."""
        self._simulation.remove(robot)
        if robot in self.sessions:  # a supervisor's robots have no client
            if reason:
                self.sessions[robot].dismiss(reason)
            self._end(robot)

    def has_gone(self, robot: str) -> bool:
        """Whether a robot that is in the world has no client, or one whose connection has ended."""
        session = self.sessions.get(robot)
        return session is None or session.has_ended()

    def is_leaving(self, robot: str) -> bool:
        """Whether a robot that is in the world had a client, whose connection has ended."""
        return robot in self.sessions and self.sessions[robot].has_ended()

    def forget(self, robot: str) -> None:
        """Its robot is taken over by another client."""
        if robot in self.sessions:
            self.sessions[robot].robot.ignore_sensors()
            self._end(robot)

    def close(self, why: EndReason = "finished", text: str = "the run has ended") -> None:
        """Ends all connections, and says why; what is on its way still arrives."""
        for session in self.sessions.values():
            session.say_end(why, self._simulation.frame, text)
            session.close(self._close_connection)
        self.sessions.clear()

    # Sending

    def send_frame(self, *, at_once: bool) -> list[Session]:
        """Queues the frame for all clients, and returns those whose acks it has to wait for."""
        simulation, writer = self._simulation, self._writer
        frame, now = simulation.frame, simulation.time
        empty = writer.frame(now)
        answer = ACK_HEAD + empty[TIME_OF_FRAME]
        behind = []
        for session in self.sessions.values():
            readings = session.robot.readings
            if not (session.sparse and session.passes_over(frame, readings)):
                if session.news or session.translates:
                    readings = session.translated(now, readings)
                session.queue(frame, writer.frame(now, readings) if readings else empty, answer)
            if session.allowed < frame or session.congested:
                behind.append(session)
        if not behind and (at_once or frame % _BATCH == 0):
            self.flush()
        return behind

    def send_missing(self) -> list[Session]:
        """The same, but a client that has had the frame does not get it again."""
        frame, now = self._simulation.frame, self._simulation.time
        for session in self.sessions.values():
            readings = session.robot.readings
            if session.sent < frame and not session.passes_over(frame, readings):
                session.queue(frame, self._writer.frame(now, session.translated(now, readings)), b"")
        return [session for session in self.sessions.values() if session.allowed < frame or session.congested]

    def flush(self) -> None:
        """Sends what is queued, as far as clients take it now."""
        self._backlog = False
        for session in self.sessions.values():
            if session.flush():
                self._backlog = True

    # Waiting

    def wait_for(self, behind: list[Session]) -> bool:
        """Until all of them allow this frame to be executed, or have gone: then their robots leave, and not sooner.

        A client that has a lot to read is waited for as well, or what is sent to it would fill the memory.
        False if it was interrupted.
        """
        self.flush()
        frame, spin = self._simulation.frame, self._may_spin()
        for session in behind:
            session.catch_up()
            while (session.allowed < frame or session.congested) and session.gone is None:
                if not self._backlog and session.receive(spin=spin):
                    if session.allowed >= frame:  # nearly always
                        continue
                    session.acknowledge_quickly()
                self._has_waited(session)
                if self._interrupted():
                    return False
            if session.gone is not None and session.leaves_at <= frame:
                self.remove(session.robot.name)
        return True

    def settle(self) -> None:
        """Waits until every client has answered the current frame."""
        self.send_missing()
        self.flush()
        for session in list(self.sessions.values()):
            session.catch_up()
            while session.robot.commands.acked < session.sent and session.gone is None:
                if not self._backlog:
                    session.receive()
                self._has_waited(session)

    def tell_listened(self) -> None:
        """Those who log are told if something began or ceased to listen."""
        for session in self.sessions.values():
            session.tell_listened()

    def stood_still(self) -> None:
        """No client could have answered meanwhile."""
        self._waited_for = None

    def follow_simulation(self, *, timeless: bool) -> None:
        """Robots may have come or gone; if it was not timeless, everything may be as in another frame."""
        for name, session in list(self.sessions.items()):
            robot = self._simulation.robots.get(name)
            if robot is None or robot.identity() != session.robot.identity():
                session.dismiss("a supervisor has taken this robot out of the world", "removed")
                self._end(name)
            elif timeless:
                session.latency_changed()
            else:
                session.go_on_with(robot)

    def _has_waited(self, session: Session) -> None:
        """The session was waited for, and is still behind: it has said nothing, or nothing that brings it on."""
        self.slowest = session.robot.name
        self._while_waiting()
        if self._backlog:
            self._serve_all(TICK)
        now, progress = time.monotonic(), (session, session.robot.commands.acked, session.taken)
        if progress != self._waited_for:
            self._waited_for, self._waiting_since = progress, now
        elif self._timeout and now - self._waiting_since > self._timeout:
            what = "it does not read what it is sent" if session.congested else "it has acknowledged nothing in it"
            session.dismiss(f"silent for more than {self._timeout:g} s: {what}")
        elif now - self._waiting_since > UNREACHABLE:
            session.look_for_loss()

    def _serve_all(self, seconds: float) -> None:
        """The slow path: a client does not take what it is sent, and may have to before others can go on."""
        self.flush()
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

    def _end(self, robot: str) -> None:
        session = self.sessions.pop(robot)
        self._note(f"{robot} left in frame {self._simulation.frame}: {session.gone}")
        session.close(self._close_connection)
