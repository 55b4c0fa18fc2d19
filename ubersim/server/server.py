"""The server's loop: one frame after the other, as soon as every client allows it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import TextIO

from ubersim.errors import ActuationError, ExplodedError, SensingError, UberSimError
from ubersim.protocol import MAX_DOCUMENT, Welcome
from ubersim.server.admission import Admission
from ubersim.server.client_sessions import ClientSessions
from ubersim.server.handshake import Handshakes
from ubersim.server.native_lane import Lane, NativeLane
from ubersim.server.progress import LOOK_EVERY, Progress
from ubersim.server.real_time import RealTime
from ubersim.server.robot_documents import RobotDocuments
from ubersim.server.session import TICK, Session
from ubersim.server.supervision import Supervision
from ubersim.server.supervisor_io import SupervisorIO
from ubersim.simulation import Simulation
from ubersim.simulation.budget import RobotBudget
from ubersim.simulation.digest import DigestWriter
from ubersim.simulation.program_logs import BUDGET as LOG_BUDGET
from ubersim.simulation.program_logs import ProgramLogs
from ubersim.supervision import all_commands
from ubersim.supervision.clock import SupervisedClock
from ubersim.timing.latency import NEVER
from ubersim.transport.address import DEFAULT_HOST, DEFAULT_PORT, Address
from ubersim.transport.listen import address_of, listen
from ubersim.transport.spin_wait import CORES


class _Stopped(BaseException):
    """The server is to end while it waits. No error, so that nothing that handles errors goes on."""


class Server:
    """Serves one simulation to robots that come and go."""

    def __init__(
        self,
        simulation: Simulation,
        *,
        host: str = DEFAULT_HOST,
        port: int = DEFAULT_PORT,
        clients: int | None = None,
        rate: float = 0.0,
        timeout: float = 0.0,
        lookahead: bool = True,
        loose: bool = False,
        token: str | None = None,
        max_document: int = MAX_DOCUMENT,
        budget: RobotBudget | None = None,
        max_log: int = LOG_BUDGET,
        lane: Lane = "auto",
        digest: TextIO | None = None,
        report: Callable[[Server], None] | None = None,
        watch: Callable[[Server], None] | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`loose`: the world waits for no client, and what they command counts when it arrives.

        `report` shows how it goes, now and then; `watch` sees every frame; `note` is told who comes and goes.

        `lane`: whether plain frames are left to the kernel, which changes nothing but their speed.
        `max_document`: length of a robot's document [bytes]; `budget`: what each robot may cost, as usual if None;
        `max_log`: what a program may log in one frame [bytes].
        """
        self.simulation = simulation
        self._budget = simulation.budget = budget or RobotBudget()
        if digest is not None:
            simulation.observers.append(DigestWriter(simulation, digest))
        self.real_time = RealTime(rate, simulation.step_size)
        self._watch = watch
        self._progress = None if report is None else Progress(lambda: report(self))
        self._stopping = self._closing = False
        self._failure = ""
        self._needs_no_robots = clients == 0
        self._news = threading.Event()  # set by the other threads when something has come in
        self._listener = listen(host, port)
        self._handshakes = self._new_handshakes(clients, max_document, token, note)
        self.clients = self._client_sessions(timeout, note)
        self.lane = NativeLane(simulation, self.clients, lane, self._has_spare_core, self._glance)
        self._supervisors = SupervisorIO(self._notify, self._handshakes.close_connection)
        self._admission = Admission(
            simulation,
            self.clients,
            self._handshakes,
            wait_for=clients or 0,
            stands_still=lambda: self.stands_still,
            lookahead=lookahead,
            loose=loose,
            draw=self._supervisors.forward_drawing,
            logs=self._program_logs(max_log),
            note=note,
        )
        self._clock = self._supervised_clock()
        self._supervision = Supervision(simulation, self.clients, self._clock, self._supervisors)
        self._handshakes.start()

    # What it is made of

    def _new_handshakes(
        self, clients: int | None, max_document: int, token: str | None, note: Callable[[str], None]
    ) -> Handshakes:
        """Where clients and supervisors come to."""
        return Handshakes(
            self._listener,
            read=RobotDocuments(self.simulation, self._budget, max_document).read,
            supervise=self._connect_supervisor,
            notify=self._notify,
            token=token,
            note=note,
            most_waiting=clients,
            max_document=max_document,
        )

    def _client_sessions(self, timeout: float, note: Callable[[str], None]) -> ClientSessions:
        """Where clients are as long as their robots are in the world."""
        return ClientSessions(
            self.simulation,
            timeout=timeout,
            may_spin=self._has_spare_core,
            while_waiting=self._while_waiting,
            interrupted=self._supervisors_wait,
            close_connection=self._handshakes.close_connection,
            note=note,
        )

    def _supervised_clock(self) -> SupervisedClock:
        """Time as supervisors have it in their hands."""
        return SupervisedClock(
            self.simulation,
            goes_by_itself=self._goes_by_itself,
            rate=lambda: self.real_time.rate,
            change_rate=self.real_time.change_rate,
        )

    def _program_logs(self, longest: int) -> ProgramLogs:
        """Where what programs log goes: to observers, and to supervisors who watch it."""
        supervisors = self._supervisors
        return ProgramLogs(self.simulation, supervisors.forward_log, lambda: supervisors.logs_are_watched, longest)

    @property
    def address(self) -> Address:
        """Where clients connect to."""
        return address_of(self._listener)

    @property
    def missing_robots(self) -> int:
        """How many more have to come before time begins."""
        return self._admission.missing

    @property
    def stands_still(self) -> bool:
        """Whether time does, because there are no robots yet, or because a supervisor wants it so."""
        return self._clock.stands_still

    def run(self, frames: int | None = None) -> None:
        """Simulates that many frames, or until it is told to stop."""
        self._admission.end_frame = frames
        try:
            while frames is None or self.simulation.frame < frames:
                self._frame(NEVER if frames is None else frames)
        except _Stopped:
            pass
        except BaseException as error:
            self._failure = str(error) or repr(error)
            raise

    def stop(self) -> None:
        """Ends `run`, from another thread or a signal handler; while the server closes, clients get no more time."""
        self._stopping = True
        self.lane.interrupt()
        if self._closing:
            self._handshakes.hurry()

    def close(self) -> None:
        """Ends all connections; clients that read slowly get all that they were sent, unless the server was stopped."""
        self._closing = True
        if self._failure:
            self.clients.close("failed", self._failure)
        elif self._stopping:
            self.clients.close("stopped", "the server was stopped")
        else:
            self.clients.close()
        self._supervisors.close()
        self._handshakes.close(patient=not self._stopping)
        self._listener.close()
        self.simulation.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # A frame

    def _frame(self, end: int) -> None:
        if self.simulation.frame >= self.lane.next_frame:
            self.lane.listen()
        if self._stopping:
            raise _Stopped
        if self._handshakes.has_arrivals:
            self._admission.admit()
        if self.simulation.frame >= self.lane.next_frame and self._run_lane(end):
            return
        self.real_time.frame_begins()
        self._sense()
        behind = self.clients.send_frame(at_once=self.real_time.rate > 0)
        if self._supervisors.next_frame <= self.simulation.frame or not self.clients.sessions:
            behind = self._serve_supervisors()
        if self._watch is not None:
            self._watch(self)
        self.simulation.settle_frame()
        while behind and not self.clients.wait_for(behind):
            behind = self._serve_supervisors()
        self._step()
        self._keep_pace()

    def _run_lane(self, end: int) -> bool:
        """Leaves frames to the native lane, and finishes the one that it left; False if there were none."""
        if self.real_time.rate or self._watch is not None:
            return False
        if not self.clients.sessions and (self._admission.waits_for_robots or self._clock.stands_still):
            return False
        begun = self.lane.run(min(end, self._supervisors.next_frame))
        if self.lane.in_the_middle and begun:
            behind = self.clients.send_missing()
            while behind and not self.clients.wait_for(behind):
                behind = self._serve_supervisors()
            self._step()
        return begun > 0

    def _glance(self, begun: int) -> None:
        """So many frames have begun on the lane, which may go on."""
        if begun:
            self.real_time.frame_begins(begun)
        if self._progress is not None:
            self._progress.show()

    def _sense(self) -> None:
        """Robots whose sensors fail leave the server; the others sense without them."""
        while True:
            try:
                return self.simulation.begin_frame()
            except SensingError as error:
                self.clients.remove(error.robot, str(error))

    def _step(self) -> None:
        """Robots that fail, or whose bodies leave the finite world, leave the server; it steps without them."""
        # Each failure takes at least one robot; one more puts the world's own objects back to where they started.
        for _ in range(len(self.simulation.robots) + 2):
            try:
                return self.simulation.finish_frame()
            except ActuationError as error:
                self.clients.remove(error.robot, str(error))
            except ExplodedError as error:
                for name in self.simulation.names_of(error.owners):
                    self.clients.remove(name, str(error))
        raise UberSimError(f"the world does not get over frame {self.simulation.frame}")

    def _keep_pace(self) -> None:
        if self.real_time.rate and (ahead := self.real_time.ahead()) > 0:
            time.sleep(ahead)
        if self._progress is not None and self.simulation.frame % LOOK_EVERY == 0:
            self._progress.show()

    # Supervisors, and time that stands still

    def _serve_supervisors(self) -> list[Session]:
        """Does what they ask for, and lets robots in, for as long as time stands still; returns who is behind then."""
        while True:
            self._news.clear()
            self._admission.admit()
            self._supervision.attend()
            if not self._admission.waits_for_robots and not self._clock.stands_still:
                break
            self.clients.send_missing()
            self.clients.flush()
            self._wait_for_news()
        self.real_time.resume()
        return self.clients.send_missing()

    def _wait_for_news(self) -> None:
        """Nothing can be done before something comes in."""
        self.real_time.pause()
        self.clients.stood_still()
        self._news.wait(TICK)
        self._while_waiting()

    def _notify(self) -> None:
        """In another thread: something has come in."""
        self._news.set()
        self.lane.interrupt()

    def _while_waiting(self) -> None:
        if self._stopping:
            raise _Stopped
        if self._progress is not None:
            self._progress.show()

    def _supervisors_wait(self) -> bool:
        return self._supervisors.next_frame <= self.simulation.frame

    def _goes_by_itself(self) -> bool:
        """A world without robots stands still, unless it is said to need none, or has its own actors."""
        return self._needs_no_robots or bool(self.clients.sessions) or bool(self.simulation.actors)

    def _has_spare_core(self) -> bool:
        """Whether there is a core for every process that wants one: clients, supervisors, render workers, and this."""
        others = len(self.clients.sessions) + len(self._supervisors.connections) + self.simulation.cameras.workers
        return others < CORES

    # In the thread of the handshakes

    def _connect_supervisor(self, connection: socket.socket, name: str, early: bytes) -> None:
        all_commands()  # here, and not while the simulation waits for the first request
        step, frame = self.simulation.step_size, self.simulation.frame
        self._supervisors.connect(connection, Welcome(name=name, step=step, frame=frame, supervisor=True), early)
