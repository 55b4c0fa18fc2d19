"""A client program runs from a log: it gets the frames and readings that its robot got then, as often as one likes.

Its commands change nothing. They go through the same delays as then, so that what would have been executed in each
frame can be compared with what was. What supervisors did to the robot's delays and to time is done to it again.
"""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from ubersim.components.sensors.compression import PictureCompression
from ubersim.description import RobotDescription, read_robot
from ubersim.description.materials_file import read_materials
from ubersim.description.token import without_token
from ubersim.errors import UberSimError
from ubersim.protocol import Welcome
from ubersim.protocol.server_lane import FrameWriter
from ubersim.protocol.welcome import VERSION, about_server
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.recording.replayed_robot import ReplayedRobot
from ubersim.recording.robot_history import Jump, Leave, Moment, NewLatency, NewParameter, RecordedFrame, RobotHistory
from ubersim.server.handshake import Arrival, Handshakes
from ubersim.server.open_session import open_session
from ubersim.server.session import TICK, Session
from ubersim.simulation.robot import Command
from ubersim.transport.lingering_close import close_after

STOPPED = "it was stopped"
TAKEN = "this log has its program already"


@dataclass
class ReplayOutcome:
    """How a client did."""

    frames: int = 0
    """Frames that were executed."""
    commands: int = 0
    """Commands that were executed in them, then."""
    difference: str = ""
    """The first frame in which other commands would have been executed; empty: there was none."""
    ended: str = "the log has no more frames"
    """Why no more frames were sent."""


def serve_log(log: Log, name: str, listener: socket.socket, note: Callable[[str], None]) -> ReplayOutcome:
    """Waits for the client of that robot, and takes it through the log; strangers do not keep it out."""
    joined, news = joining(log, name), threading.Event()
    handshakes = Handshakes(
        listener,
        read=lambda document: check_client(log, joined, document, note),
        supervise=_refuse_supervisor,
        notify=news.set,
        token=None,
        note=note,
    )
    handshakes.start()
    try:
        while (arrival := only_arrival(handshakes)) is None:
            news.wait(TICK)
            news.clear()
        return guide_client(log, joined, arrival.connection, arrival.early, note, _Unhurried(handshakes))
    finally:
        handshakes.close()


class Pace(Protocol):
    """What else there is to do while a client is taken through a log."""

    def may_come(self, frame: int) -> bool:
        """Called before each frame, returns when it may come; False: it ends here."""

    def waits(self) -> bool:
        """Called while the client has yet to answer; False: it ends here."""


class _Unhurried:
    """There is nothing else but to tell others that the log has its client."""

    def __init__(self, handshakes: Handshakes) -> None:
        self._handshakes = handshakes

    def may_come(self, frame: int) -> bool:
        refuse_arrivals(self._handshakes)
        return True

    def waits(self) -> bool:
        refuse_arrivals(self._handshakes)
        return True


def only_arrival(handshakes: Handshakes) -> Arrival | None:
    """The first client that is there, if any is; others are refused."""
    arrivals = handshakes.take()
    for other in arrivals[1:]:
        handshakes.refuse(other.connection, TAKEN)
    return arrivals[0] if arrivals else None


def refuse_arrivals(handshakes: Handshakes) -> None:
    """The log has its client."""
    if handshakes.has_arrivals:
        for arrival in handshakes.take():
            handshakes.refuse(arrival.connection, TAKEN)


def _refuse_supervisor(connection: socket.socket, name: str, early: bytes) -> None:
    raise UberSimError("nothing of this log can be simulated again, so supervisors have nothing to see")


def guide_client(
    log: Log, joined: RecordedEvent, connection: socket.socket, early: bytes, note: Callable[[str], None], pace: Pace
) -> ReplayOutcome:
    """Takes a client through the log."""
    with connection:
        robot = ReplayedRobot(log, joined)
        compression = PictureCompression(read_robot(joined.document, materials=read_materials(log.materials)))
        about = compression.introduced(joined.introduction)
        if about.get("protocol", VERSION) >= 2:
            about = about | about_server(log.facts.get("world", ""), log.last)
        welcome = Welcome.introducing(about, step=log.step, frame=joined.frame)
        session = open_session(connection, robot, welcome, compression=compression)
        if early:
            session.take(early)
        outcome = _ClientReplay(log.step, joined, robot, session, pace).live(RobotHistory(log, joined, note).moments())
        session.say_end("stopped" if outcome.ended == STOPPED else "finished", log.last, outcome.ended)
        session.close(close_after)
    return outcome


def joining(log: Log, name: str) -> RecordedEvent:
    """When the robot joined first."""
    names: dict[str, None] = {}
    for item in log.items():
        if isinstance(item, RecordedEvent) and item.kind == "joined":
            names[item.robot] = None
            if item.robot == name:
                return item
    raise UberSimError(f"there is no robot {name!r} in {log.path}; there are {', '.join(names) or 'none'}")


def check_client(log: Log, joined: RecordedEvent, document: bytes, note: Callable[[str], None]) -> RobotDescription:
    """Refuses the client of another robot."""
    robot = read_robot(document, materials=read_materials(log.materials))
    if robot.name != joined.robot:
        raise UberSimError(f"this log is replayed to {joined.robot!r}, not to {robot.name!r}")
    if without_token(document.decode("utf-8-sig")) != joined.document:
        note("the client sends another document than then; it gets the readings of the recorded robot")
    return robot


class _ClientReplay:
    """The client's life, once more. Time goes on as its acknowledgements allow, as it does in a server."""

    def __init__(self, step: float, joined: RecordedEvent, robot: ReplayedRobot, session: Session, pace: Pace) -> None:
        self._step = step
        self._joined = joined
        self._robot = robot
        self._session = session
        self._pace = pace
        self._stopped = False
        self._writer = FrameWriter()
        self._shift = 0
        """What the log's frame numbers have to be lowered by to be those that the client knows."""
        self._changes: list[NewParameter] = []
        """Of the program's parameters, which it is told with the frame after them."""

    def live(self, moments: Iterable[Moment]) -> ReplayOutcome:
        """Until the log ends, or the client goes, or its robot, or the pace says so."""
        outcome, session = ReplayOutcome(), self._session
        for moment in moments:
            match moment:
                case RecordedFrame():
                    if not self._pace.may_come(moment.number):
                        outcome.ended = STOPPED
                        break
                    if not self._allowed(moment):
                        outcome.ended = STOPPED if session.gone is None else f"the client has gone: {session.gone}"
                        break
                    self._compare(outcome, moment)
                case NewLatency():  # as it was done within that frame, of which the client knows nothing yet
                    self._robot.commands.change_latency(moment.frame - self._shift + 1, moment.latency)
                    session.latency_changed()
                case NewParameter():
                    self._changes.append(moment)
                case Jump():
                    self._jump(moment)
                case Leave():
                    self._tell(moment.frame)
                    session.dismiss(moment.reason, "removed")
                    outcome.ended = f"{moment.reason} (frame {moment.frame.number})"
        return outcome

    def _tell(self, frame: RecordedFrame) -> int:
        """Sends a frame, unless the client has had it; its number as the client knows it."""
        number = frame.number - self._shift
        while self._changes and self._changes[0].frame < frame.number:
            self._change(self._changes.pop(0))
        if self._session.sent < number and not self._session.passes_over(number, frame.readings):
            now = number * self._step
            self._session.queue(number, self._writer.frame(now, self._session.translated(now, frame.readings)), b"")
        return number

    def _allowed(self, frame: RecordedFrame) -> bool:
        """Whether the client lets this frame be executed, sooner or later."""
        number, session = self._tell(frame), self._session
        self._wait(lambda: session.allowed >= number)
        return session.allowed >= number

    def _change(self, change: NewParameter) -> None:
        """A server does it when every client has answered; a program that declares it no more is not told."""
        session, commands = self._session, self._robot.commands
        self._wait(lambda: commands.acked >= session.sent)
        with suppress(UberSimError):
            self._robot.parameters.change(change.name, change.value)

    def _jump(self, jump: Jump) -> None:
        """A server does it when every client has answered, and tells none of them."""
        session, commands = self._session, self._robot.commands
        self._tell(jump.frame)
        self._wait(lambda: commands.acked >= session.sent)
        self._robot.restore(jump.commands)
        session.go_on_with(self._robot)
        self._shift = jump.frame.number - jump.to

    def _wait(self, ready: Callable[[], bool]) -> None:
        """Until the client has taken what it was sent and is ready, or has gone, or nobody wants to wait any more."""
        session = self._session
        session.catch_up()
        while session.gone is None and (session.flush() or not ready()):
            self._stopped = self._stopped or not self._pace.waits()
            if self._stopped:
                return
            if session.backlog:
                select.select([session], [session], [], TICK)
                session.receive(socket.MSG_DONTWAIT)
            elif session.receive(spin=True) and not ready():
                session.acknowledge_quickly()

    def _compare(self, outcome: ReplayOutcome, frame: RecordedFrame) -> None:
        number = frame.number - self._shift
        now, then = self._robot.commands.due(number), frame.commands
        outcome.frames += 1
        outcome.commands += len(then)
        if now != then and not outcome.difference:
            time = f"{frame.number * self._step:g} s"
            if self._shift:
                time += f", for the client {number * self._step:g} s"
            outcome.difference = f"frame {frame.number} ({time}): then {self._text(then)}, now {self._text(now)}"

    def _text(self, commands: list[Command]) -> str:
        return ", ".join(map(self._one, commands)) or "no command"

    def _one(self, command: Command) -> str:
        component, number, value = command
        if isinstance(value, bytes):
            return f"{component} {value.hex()}"
        return f"{self._joined.property_name(component, number)} = {value:.9g}"
