"""A recorded run as a server: supervisors let it run, stop it and go to any frame, forwards and backwards.

What they see is simulated again from the log's commands, to the bit; readings, and what programs said, come from the
log. One program may be taken through the log beside it, at the same pace.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable

from ubersim.description import RobotDescription
from ubersim.errors import UberSimError
from ubersim.protocol import Welcome
from ubersim.recording.drawn_entries import DrawnEntries
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.recording.parameter_history import ParameterHistory
from ubersim.recording.program_entries import ProgramEntries
from ubersim.recording.time_travel import TimeTravel
from ubersim.server.client_sessions import ClientSessions
from ubersim.server.handshake import Handshakes
from ubersim.server.log_server import (
    STOPPED,
    ReplayOutcome,
    check_client,
    guide_client,
    joining,
    only_arrival,
    refuse_arrivals,
)
from ubersim.server.logged_truth import LoggedTruth
from ubersim.server.real_time import RealTime
from ubersim.server.session import TICK
from ubersim.server.supervision import Supervision
from ubersim.server.supervisor_connection import SupervisorConnection
from ubersim.server.supervisor_io import SupervisorIO
from ubersim.simulation.parameters import RobotParameters
from ubersim.supervision import all_commands
from ubersim.supervision.clock import SupervisedClock
from ubersim.supervision.context import Timeline
from ubersim.transport.address import Address
from ubersim.transport.listen import address_of


class ReplayServer:
    """It stands still in the first frame until a supervisor lets time go on, or goes by itself at a given rate."""

    def __init__(
        self,
        log: Log,
        listener: socket.socket,
        *,
        rate: float | None = None,
        robot: str | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`robot`: whose program is taken through the log; `rate`: times real time, 0: as fast as it goes."""
        self._log, self._listener, self._note = log, listener, note
        self._travel = TimeTravel(log)
        self._joined: RecordedEvent | None = None if robot is None else joining(log, robot)
        self._programs = ProgramEntries(log)
        self._drawn = DrawnEntries(log, self._programs)
        self._listeners: set[SupervisorConnection] = set()
        self._parameters = ParameterHistory(log)
        self._stopping = False
        self._news = threading.Event()
        self._real_time = RealTime(rate or 0.0, log.step)
        self._handshakes = Handshakes(
            listener,
            read=self._read_robot,
            supervise=self._connect_supervisor,
            notify=self._news.set,
            token=None,
            note=note,
        )
        simulation, close = self._travel.simulation, self._handshakes.close_connection
        clients = ClientSessions(
            simulation,
            timeout=0.0,
            may_spin=lambda: False,
            while_waiting=lambda: None,
            interrupted=lambda: False,
            close_connection=close,
            note=note,
        )
        self._supervisors = SupervisorIO(self._news.set, close)
        self._clock = SupervisedClock(
            simulation,
            goes_by_itself=lambda: rate is not None or robot is not None,
            rate=lambda: self._real_time.rate,
            change_rate=self._real_time.change_rate,
        )
        self._supervision = Supervision(
            simulation,
            clients,
            self._clock,
            self._supervisors,
            truth=LoggedTruth(log, self._travel),
            timeline=Timeline(log.first, log.last, self._seek),
        )
        self._handshakes.start()

    @property
    def address(self) -> Address:
        """Where supervisors and the program connect to."""
        return address_of(self._listener)

    @property
    def frame(self) -> int:
        """Where it is, as the log counts frames."""
        return self._travel.frame

    def __enter__(self) -> ReplayServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stop(self) -> None:
        """Ends `run`, from another thread or a signal handler."""
        self._stopping = True
        self._news.set()

    def close(self) -> None:
        """Ends all connections."""
        self._supervisors.close()
        self._handshakes.close()
        self._travel.close()

    def run(self) -> ReplayOutcome | None:
        """Until it is stopped; with a program, until that is done, and then how it did."""
        if self._joined is not None:
            return self._guide(self._joined)
        while not self._stopping:
            self._attend()
            if self.frame == self._log.last:
                self._clock.pause()
                self._wait_for_news()
            else:
                self._go_on(self.frame + 1)
        return None

    def _guide(self, joined: RecordedEvent) -> ReplayOutcome:
        while (arrival := only_arrival(self._handshakes)) is None:
            if self._stopping:
                return ReplayOutcome(ended=STOPPED)
            self._attend(waiting=True)
        outcome = guide_client(self._log, joined, arrival.connection, arrival.early, self._note, self)
        self._attend(waiting=True)
        return outcome

    def may_come(self, frame: int) -> bool:
        """The program is about to be told of this frame; whether it goes on."""
        refuse_arrivals(self._handshakes)
        if frame > self.frame:
            self._go_on(frame)
        self._attend()
        return not self._stopping

    def waits(self) -> bool:
        """The program has yet to answer; whether it goes on."""
        refuse_arrivals(self._handshakes)
        if self._is_asked():
            self._show_parameters()
            self._supervision.attend()
        return not self._stopping

    def _go_on(self, frame: int) -> None:
        before = self.frame
        self._real_time.frame_begins(frame - before)
        self._travel.go(frame)
        self._tell_programs(before + 1, frame)
        if (ahead := self._real_time.ahead()) > 0:
            time.sleep(ahead)

    def _seek(self, frame: int) -> None:
        if self._joined is not None:
            raise UberSimError("Seek: a program runs from this log; it can be stopped, and go on, but not back")
        self._travel.go(frame)
        self._show_parameters()
        for listener in self._listeners:
            self._tell_drawn(listener, frame - 1)
        self._tell_programs(frame, frame)

    def _tell_programs(self, first: int, last: int) -> None:
        """What programs said in these frames."""
        if self._supervisors.logs_are_watched:
            for said in self._programs.between(first, last):
                self._supervisors.forward_log(said.robot, said.time, said.entry)

    def _tell_drawn(self, listener: SupervisorConnection, frame: int) -> None:
        """What programs had drawn by a frame, and what not yet."""
        for said in self._drawn.at(frame):
            listener.log(said.robot, said.time, said.entry)

    def _greet_listeners(self) -> None:
        """Those that begin to listen to programs are told what these have drawn by now."""
        connections = list(self._supervisors.connections)
        found = {one for one in connections if (watched := one.subscription) is not None and watched.logs}
        for listener in found - self._listeners:
            self._tell_drawn(listener, self.frame)
        self._listeners = found

    def _show_parameters(self) -> None:
        """Robots have the parameters that their programs had."""
        then = self._parameters.at(self.frame)
        for name, robot in self._travel.simulation.robots.items():
            robot.parameters = then.get(name) or RobotParameters()

    def _attend(self, *, waiting: bool = False) -> None:
        """Does what supervisors ask for, for as long as time stands still."""
        while not self._stopping:
            self._news.clear()
            if self._is_asked() or waiting:
                self._show_parameters()
                self._supervision.attend()
                self._greet_listeners()
            if waiting or not self._clock.stands_still:
                break
            self._wait_for_news()
        if waiting:
            self._wait_for_news()
        self._real_time.resume()

    def _is_asked(self) -> bool:
        """Whether there may be something to do for supervisors."""
        return self._supervisors.next_frame <= self._travel.simulation.frame or self._clock.stands_still

    def _wait_for_news(self) -> None:
        self._real_time.pause()
        self._news.wait(TICK)

    # In the thread of the handshakes

    def _read_robot(self, document: bytes) -> RobotDescription:
        if self._joined is None:
            raise UberSimError("this log is replayed for supervisors; `ubersim replay LOG --serve ROBOT` has programs")
        return check_client(self._log, self._joined, document, self._note)

    def _connect_supervisor(self, connection: socket.socket, name: str, early: bytes) -> None:
        all_commands()
        frame = self._travel.simulation.frame
        self._supervisors.connect(
            connection, Welcome(name=name, step=self._log.step, frame=frame, supervisor=True), early
        )
