"""One program's connection to a real robot: frames that go out, what it says comes in.

A frame goes out when the one before it has been acknowledged, as to a loose client of the simulator; if that comes
late, then at once, and it is the newest.
"""

from __future__ import annotations

import socket

from ubersim.components.sensors.compression import PictureCompression
from ubersim.components.sensors.unseen import UnseenReadings
from ubersim.control.port_program import PortProgram
from ubersim.control.robot_port import RobotTwin
from ubersim.errors import UberSimError
from ubersim.protocol import End, Error, Welcome
from ubersim.protocol.end import EndReason
from ubersim.protocol.messages import encode
from ubersim.protocol.server_lane import FrameWriter
from ubersim.protocol.welcome import about_server
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.program_logs import ProgramLogs
from ubersim.simulation.robot import Command
from ubersim.timing.sparse_frames import SparseFrames
from ubersim.transport.connect import is_unreachable, notice_loss

WORLD = "real"
"""What the welcome calls the world."""
_BUFFER = 1 << 16


class PortSession:
    """It never waits. What goes wrong is the reason in `gone`."""

    def __init__(
        self,
        connection: socket.socket,
        twin: RobotTwin,
        logs: ProgramLogs,
        frame: int,
        end_frame: int | None = None,
        early: bytes = b"",
    ) -> None:
        """In this frame the program has sent its document, of which `twin` was made, and perhaps something after it.

        `end_frame` is when the run ends, if that is known.
        """
        self.gone = ""
        """Why the program leaves; empty while all is well."""
        self._socket, self._twin, self._logs = connection, twin, logs
        self._step = twin.simulation.step_size
        self._program = PortProgram(twin.robot, self._step, logs)
        self._compression = PictureCompression(twin.robot.description)
        self._unseen = UnseenReadings({name: channel.description for name, channel in twin.robot.sensors.items()})
        self._newest: int | None = None  # the newest frame, if the program has yet to be sent it
        self._writer = FrameWriter()
        welcome = self._introduced(frame + 1, end_frame)
        self._version = welcome.protocol
        self._frames = SparseFrames(self._step, frame + 1) if welcome.timestamps == "readings" else None
        self._outgoing = bytearray(encode(welcome))
        notice_loss(connection)
        self.flush()
        self._understand(early, frame)

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def backlog(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing)

    def release(self, why: EndReason, frame: int, text: str) -> tuple[socket.socket, bytes]:
        """The connection, which the caller has to close, and what is left to be sent, with what was wrong.

        The program is told why it ends, if it knows of such.
        """
        if self._version >= 2:
            self._outgoing += encode(End(why, frame, text))
        self._logs.forget(self._twin.robot.name)
        self._twin.close()
        return self._socket, bytes(self._outgoing)

    def send(self, frame: int, readings: list[tuple[str, bytes]]) -> None:
        """Sends a frame, if the program wants it and has answered the last one; else it may be sent later."""
        sensors = self._twin.robot.sensors
        self._unseen.add(reading for reading in readings if reading[0] in sensors)
        self._newest = frame
        if not self._unseen.awaited and is_unreachable(self._socket):
            self.gone = "its machine cannot be reached"
        self._send_newest()

    def _send_newest(self) -> None:
        if self._newest is None or not self._unseen.awaited:
            return
        if self._frames is not None and not self._frames.tells(self._newest, readings=bool(self._unseen)):
            return
        now = self._newest * self._step
        told = [*self._program.parameters.take_news(now), *self._compression.compressed(self._unseen.take())]
        self._outgoing += self._writer.frame(now, told)
        self._unseen.sent(self._newest)
        self._newest = None
        self.flush()

    def receive(self, frame: int) -> None:
        """Takes what has come, in this frame."""
        try:
            data = self._socket.recv(_BUFFER)
        except BlockingIOError:
            return
        except OSError as error:
            self.gone = f"connection lost: {error.strerror}"
            return
        if not data:
            self.gone = "it closed the connection"
            return
        self._understand(data, frame)
        self._unseen.acknowledged(self._program.acknowledged)
        self._send_newest()

    def due(self, frame: int) -> list[Command]:
        """The commands whose stamp has come, in the order of stamps."""
        return self._program.due(frame)

    def flush(self) -> None:
        """Sends what waits, as far as the program takes it now."""
        try:
            del self._outgoing[: self._socket.send(self._outgoing)]
        except BlockingIOError:
            pass
        except OSError as error:
            self.gone = f"connection lost: {error.strerror}"

    def _introduced(self, frame: int, end_frame: int | None) -> Welcome:
        robot = self._twin.robot
        about = self._compression.introduced(introduction_of(robot)) | {"loose": True}
        if robot.description.settings.protocol >= 2:
            about |= about_server(WORLD, end_frame)
        return Welcome.introducing(about, step=self._step, frame=frame)

    def _understand(self, data: bytes, frame: int) -> None:
        try:
            self._program.take(data, frame)
        except Exception as error:  # whatever it is, it concerns this program alone
            self.gone = str(error) if isinstance(error, UberSimError) else f"this could not be taken: {error!r:.200}"
            self._outgoing += encode(Error(self.gone))
