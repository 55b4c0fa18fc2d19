"""A device speaks our wire: a program that connected to the simulator connects to the robot by another address.

Frames come as time passes, whether the program keeps up or not; its commands go to the device when they arrive, or at
their stamp if that is later. Acknowledgements are taken, and hold up nothing: a real robot does not wait.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from pathlib import Path

from ubersim.control.port_door import PortDoor
from ubersim.control.port_session import PortSession
from ubersim.control.robot_port import RobotPort, RobotTwin
from ubersim.errors import UberSimError
from ubersim.protocol.server_lane import FrameWriter
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
        self._door = PortDoor(self._listener)
        self._session: PortSession | None = None
        self._writer = FrameWriter()
        self._stopping = False
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
        """The robot stops, the program is told by the end of its connection, and the log is complete."""
        self._leave("the robot is switched off")
        self._door.close()
        if self._recorder is not None:
            self._recorder.close(self.frame)
        self._twin.close()

    def run(self, frames: int | None = None) -> None:
        """Lets frames come in real time, that many or until it is stopped."""
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
            self._session.send(self._writer.frame(now, readings))

    def _serve_until(self, due: float) -> None:
        """Takes what comes, and lets commands be executed, until it is time for the next frame."""
        while (left := due - time.perf_counter()) > 0.0:
            session = () if self._session is None else (self._session,)
            ready, _, _ = select.select([*self._door.waiting, *session], [], [], left)
            for connection, early in self._door.programs(ready):
                if self._session is None:
                    self._session = PortSession(connection, self._twin.robot, self._step, self.frame, early)
                    self._heed(self._session)
                else:
                    self._door.refuse(connection, "this robot has a program already")
            if self._session is not None and self._session in ready:
                self._session.receive(self.frame)
                self._heed(self._session)
        if self._session is not None:
            self._execute(self._session.due(self.frame + 1))
        self._door.tidy()

    def _heed(self, session: PortSession) -> None:
        """Lets happen what the program has said."""
        self._execute(session.due(self.frame))
        if session.gone:
            self._leave(session.gone)

    def _execute(self, commands: list[Command]) -> None:
        for command in commands:
            named = self._twin.named(command)
            if named is not None:
                self._device.command(*named)
        if commands and self._recorder is not None:
            self._recorder.executed(self.frame, commands)

    def _leave(self, reason: str) -> None:
        """The program has gone, or has to: the robot stops before anything else."""
        try:
            self._device.stop()
        except UberSimError as error:
            self._note(f"the robot could not be stopped: {error}")
        if self._session is not None:
            self._note(f"the program has left: {reason}")
            self._door.let_go(*self._session.release())
            self._session = None
