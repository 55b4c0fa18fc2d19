"""A device speaks our wire: a program that connected to the simulator connects to the robot by another address.

Frames come as time passes, whether the program keeps up or not; its commands go to the device when they arrive, or at
their stamp if that is later. A real robot does not wait: of the frames that come while the program is busy with one, it
gets the newest when it acknowledges that.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from pathlib import Path

from ubersim.control.port_handshake import PortHandshakes
from ubersim.control.port_session import PortSession
from ubersim.control.robot_port import RobotPort, RobotTwin
from ubersim.errors import UberSimError
from ubersim.protocol.end import EndReason
from ubersim.simulation.program_logs import ProgramLogs
from ubersim.simulation.robot import Command
from ubersim.transport.address import DEFAULT_HOST, DEFAULT_PORT, Address
from ubersim.transport.listen import address_of, listen

STEP = 0.01
"""Between two frames, unless it is given [s]."""


class PortServer:
    """Serves one device to one program at a time."""

    def __init__(
        self,
        device: RobotPort,
        document: str | Path,
        *,
        host: str = DEFAULT_HOST,
        port: int = DEFAULT_PORT,
        step: float = STEP,
        record: str | Path | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`document` describes the robot as for the simulator; `record` is the log to write."""
        self._device, self._note = device, note
        self._twin = RobotTwin(document, step)
        self._step = step
        self._listener = listen(host, port)
        self._handshakes = PortHandshakes(self._listener)
        self._session: PortSession | None = None
        self._logs = ProgramLogs(self._twin.simulation, lambda *_: None, lambda: False)
        self._stopping = False
        self._end_frame: int | None = None
        self.frame = 0
        """The newest frame; frame k is the time k * step after `run` began."""
        self._recorder = None
        if record is not None:
            from ubersim.recording.real_run import RealRunRecorder  # an extra

            self._recorder = RealRunRecorder(self._twin.simulation, self._twin.robot, record)

    @property
    def address(self) -> Address:
        """Where the program connects to."""
        return address_of(self._listener)

    def __enter__(self) -> PortServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stop(self) -> None:
        """Ends `run`, from another thread or a signal handler."""
        self._stopping = True

    def close(self) -> None:
        """The robot stops, the program is told that it ends, and the log is complete."""
        finished = self._end_frame is not None and self.frame >= self._end_frame
        self._leave(*("the run is over", "finished") if finished else ("the robot is switched off", "stopped"))
        self._handshakes.close()
        if self._recorder is not None:
            self._recorder.close(self.frame)
        self._twin.close()

    def run(self, frames: int | None = None) -> None:
        """Lets frames come in real time, that many or until it is stopped."""
        self._end_frame = frames
        start = time.perf_counter()
        while not self._stopping and (frames is None or self.frame < frames):
            self._sense()
            due = start + (self.frame + 1) * self._step
            self._serve_until(due)
            late = int((time.perf_counter() - due) / self._step)  # frames that nobody had the time to make are left out
            self.frame += 1 + max(0, late)

    def _sense(self) -> None:
        now = self.frame * self._step
        readings = [(name, self._twin.payload(name, value, now)) for name, value in self._device.readings()]
        if self._recorder is not None:
            self._recorder.sensed(self.frame, readings)
        if self._session is not None:
            self._session.send(self.frame, readings)

    def _serve_until(self, due: float) -> None:
        """Takes what comes, and lets commands be executed, until it is time for the next frame."""
        while (left := due - time.perf_counter()) > 0.0:
            session = [] if self._session is None else [self._session]
            unsent = [one for one in session if one.backlog]
            ready, takes, _ = select.select([*self._handshakes.waiting, *session], unsent, [], left)
            for one in takes:
                one.flush()
            if self._session is not None and (self._session in ready or self._session.gone):
                self._session.receive(self.frame)
                self._heed(self._session)
            for connection, document, early in self._handshakes.programs(ready):
                self._welcome(connection, document, early)
        if self._session is not None:
            self._execute(self._session.due(self.frame + 1))
        self._handshakes.tidy()

    def _welcome(self, connection: socket.socket, document: bytes, early: bytes) -> None:
        """A program has come; it gets the robot if nobody else has it."""
        if self._session is not None:
            self._handshakes.refuse(connection, "this robot has a program already")
            return
        try:
            own = self._twin.for_program(document)
        except UberSimError as error:
            self._handshakes.refuse(connection, str(error))
            return
        self._session = PortSession(connection, own, self._logs, self.frame, self._end_frame, early)
        self._heed(self._session)

    def _heed(self, session: PortSession) -> None:
        """Lets happen what the program has said."""
        self._execute(session.due(self.frame))
        if session.gone:
            self._leave(session.gone, "failed")

    def _execute(self, commands: list[Command]) -> None:
        for command in commands:
            named = self._twin.named(command)
            if named is not None:
                self._device.command(*named)
        if commands and self._recorder is not None:
            self._recorder.executed(self.frame, commands)

    def _leave(self, reason: str, why: EndReason) -> None:
        """The program has gone, or has to: the robot stops before anything else."""
        try:
            self._device.stop()
        except Exception as error:  # whatever a driver raises, the program is told that it is over
            self._note(f"the robot could not be stopped: {error}")
        if self._session is not None:
            self._note(f"the program has left: {reason}")
            self._handshakes.let_go(*self._session.release(why, self.frame, reason))
            self._session = None
