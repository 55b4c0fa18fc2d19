"""What the program of a real robot says: commands that wait for their stamps, parameters, what it logs."""

from __future__ import annotations

from ubersim.components.commandable import payload_size
from ubersim.errors import RemoteProtocolError
from ubersim.protocol.cancel import decode_cancel
from ubersim.protocol.names import CANCEL, CLIENT, DECLARE, LOG
from ubersim.protocol.parameters import decode_declaration
from ubersim.protocol.server_lane import ACK, STAMP, CommandReader
from ubersim.simulation.parameters import RobotParameters
from ubersim.simulation.program_logs import ProgramLogs
from ubersim.simulation.robot import Command, Robot
from ubersim.timing.latency import frame_at
from ubersim.timing.lockstep import MAX_BYTES, MAX_COMMANDS


class PortProgram:
    """Acknowledgements hold up nothing: a real robot does not wait."""

    def __init__(self, robot: Robot, step: float, logs: ProgramLogs) -> None:
        """`robot` is what the program was told of: the form of its readings, the names and limits of its commands."""
        self.robot = robot
        self.parameters = RobotParameters()
        """What it has declared; nobody changes it, but it is told whether anything listens to what it logs."""
        self.acknowledged = -1
        """The frame that it has acknowledged last."""
        self._step, self._logs = step, logs
        self._reader = CommandReader(robot.settable())
        self._messages = {CANCEL: self._cancel, DECLARE: self._declare, LOG: self._log}
        self._stamp = self._now = 0
        self._held: list[tuple[int, Command]] = []

    def take(self, data: bytes, frame: int) -> None:
        """Understands bytes that came in this frame; refuses what is wrong with them."""
        self._now = frame
        for target, value in self._reader.read(data):
            if target is STAMP:
                self._stamp = frame_at(value, self._step)
            elif target is ACK:
                self.acknowledged = frame_at(value, self._step)
            elif target[0] == CLIENT:
                continue  # it has the latency that it has
            elif target[0] in self._messages and target[0] not in self.robot.components:
                self._messages[target[0]](value)
            else:
                self._command((*target, value))
        self._held.sort(key=lambda held: held[0])
        if self._reader.error is not None:
            raise self._reader.error
        if len(self._held) > MAX_COMMANDS or sum(payload_size(command) for _, command in self._held) > MAX_BYTES:
            raise RemoteProtocolError(f"too many commands wait for their stamp: {len(self._held)}")

    def due(self, frame: int) -> list[Command]:
        """The commands whose stamp has come, in the order of stamps."""
        found = [command for stamp, command in self._held if stamp <= frame]
        self._held = [(stamp, command) for stamp, command in self._held if stamp > frame]
        return found

    def _command(self, command: Command) -> None:
        component, number, value = command
        self.robot.check((component, number), value)
        self._held.append((max(self._stamp, self._now), command))

    def _cancel(self, payload: bytes) -> None:
        """It takes back what has yet to be executed."""
        component, time = decode_cancel(payload)
        first = frame_at(time, self._step)
        self._held = [held for held in self._held if held[0] < first or component not in ("", held[1][0])]

    def _declare(self, payload: bytes) -> None:
        made = decode_declaration(payload)
        self.parameters.declare(made)
        self._logs.declare(self.robot.name, self._now, made)
        if made.name == LOG and made.value != self._logs.listened:
            self.parameters.change(LOG, self._logs.listened)

    def _log(self, payload: bytes) -> None:
        self._logs.take(self.robot.name, self._now, payload)
