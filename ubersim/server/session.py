"""One client's connection while its robot is in the world."""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Protocol

from ubersim.components.sensors.compression import PictureCompression
from ubersim.errors import RemoteProtocolError
from ubersim.protocol import End, Error, Welcome
from ubersim.protocol.cancel import decode_cancel
from ubersim.protocol.end import EndReason
from ubersim.protocol.messages import encode, quoted
from ubersim.protocol.names import CANCEL, CLIENT, DECLARE, LOG
from ubersim.protocol.parameters import Declaration, decode_declaration
from ubersim.protocol.server_lane import ACK, STAMP, CommandReader, Target
from ubersim.simulation.parameters import RobotParameters
from ubersim.simulation.robot import Command
from ubersim.timing.lockstep import CommandSchedule
from ubersim.transport.connect import acknowledge_at_once, is_unreachable, notice_loss, send_at_once
from ubersim.transport.spin_wait import spinning_recv

TICK = 0.1
"""How long a receive may block before the server looks at its clock again [s]."""
MOST_UNREAD = 64 * 2**20
"""What may pile up for a client that does not read it; before there is more, the server waits for it [bytes]."""
_BUFFER = 1 << 16
_LARGE = 1 << 15
"""What is longer does not wait for others to go with it: it is sent from where it is [bytes]."""
_TIMEVAL = struct.pack("ll", 0, int(TICK * 1e6))


class CommandedRobot(Protocol):
    """What a client commands: a robot in the world, or one that a log remembers."""

    name: str
    commands: CommandSchedule[Command]
    readings: Sequence[tuple[str, bytes]]
    parameters: RobotParameters

    def settable(self) -> dict[str, frozenset[int]]:
        """What commands may name: the components, and the numbers of their properties."""

    def check(self, target: tuple[str, int], value: float | bytes) -> None:
        """Refuses a value that the property cannot have, or a malformed payload, before anything depends on it."""

    def ignore_sensors(self) -> None:
        """Nothing reads them any more."""

    def identity(self) -> dict[str, str]:
        """What makes it the same robot, for snapshots."""


class LogSink(Protocol):
    """Where what programs log, and declare, goes."""

    @property
    def listened(self) -> bool:
        """Whether it makes sense to log anything."""

    def declare(self, robot: str, frame: int, parameter: Declaration) -> None:
        """A program has declared a parameter, while it thought about that frame."""

    def take(self, robot: str, frame: int, payload: bytes) -> None:
        """A message of a program's, while it thought about that frame; refuses what is no entry."""

    def forget(self, robot: str) -> None:
        """The program has gone."""


class NoLogs:
    """Nothing listens."""

    listened = False

    def declare(self, robot: str, frame: int, parameter: Declaration) -> None:
        """Forgets it."""

    def take(self, robot: str, frame: int, payload: bytes) -> None:
        """Forgets it."""

    def forget(self, robot: str) -> None:
        """There is nothing to forget."""


class Session:
    """Frames go out, commands and acks come in. It never raises: what goes wrong is the reason in `gone`."""

    loose: ClassVar[bool] = False
    """Whether the world does not wait for the client."""
    sparse: ClassVar[bool] = False
    """Whether it is not sent every frame."""

    def __init__(
        self,
        connection: socket.socket,
        robot: CommandedRobot,
        welcome: Welcome,
        *,
        lookahead: bool = True,
        draw: Callable[[str, bytes], None] = lambda robot, payload: None,
        logs: LogSink | None = None,
        compression: PictureCompression | None = None,
    ) -> None:
        self.robot = robot
        self.gone: str | None = None
        """Why this client is leaving; None while all is well."""
        self.taken = 0
        """Bytes that the client took while more were waiting for it."""
        self._unreachable = False
        self._lookahead = lookahead
        self._draw = draw
        self._logs: LogSink = logs or NoLogs()
        self._compression = compression
        self.translates = bool(compression)
        """Whether its readings are not sent as they are."""
        self._version = welcome.protocol
        self._messages: dict[str, Callable[[bytes], None]] = (
            {CANCEL: self._cancel, DECLARE: self._declare, LOG: self._log} if self._version >= 2 else {}
        )
        robot.parameters.clear()
        self.news = robot.parameters.news
        """Changes of the program's parameters that go with its next frame."""
        self.allowed = self._allowed()
        """The last frame that may be executed as far as this client is concerned."""
        self.sent = robot.commands.acked
        """The last frame that was queued."""
        self._socket = connection
        self._send, self._receive = connection.send, connection.recv  # looked up once, not in every frame
        self._spinning_receive = spinning_recv(connection)
        self._reader = CommandReader(robot.settable())
        self._plain_answer = b""
        self._outgoing = bytearray(encode(welcome))
        connection.setblocking(True)
        send_at_once(connection)
        notice_loss(connection)
        # A timeout in the kernel, not Python's: that one would cost a poll per receive.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _TIMEVAL)

    def queue(self, frame: int, data: bytes | bytearray, plain_answer: bytes) -> None:
        """Queues a frame for `flush` to send; the plain answer is an ack of it and nothing else."""
        self.sent = frame
        self._plain_answer = plain_answer
        if self.gone is None and not self._unreachable:
            begin = self._send_now(data) if len(data) > _LARGE and not self.flush() else 0
            self._outgoing += memoryview(data)[begin:] if begin else data

    def flush(self) -> bool:
        """Sends what is queued, as far as the client takes it now; True if something is left."""
        if not self._outgoing or self._unreachable or self.gone is not None:
            return False
        count = self._send_now(self._outgoing)
        if count == len(self._outgoing):
            self._outgoing.clear()
            return False
        del self._outgoing[:count]
        self.taken += count
        return self.backlog

    def _send_now(self, data: bytes | bytearray) -> int:
        """Sends as much as the client takes now, and returns how much that is; all of it if the client has gone."""
        try:
            return self._send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except OSError as error:
            self._read_to_the_end(f"connection lost: {error.strerror}")
            return len(data)

    def _read_to_the_end(self, reason: str) -> None:
        """Nothing can be sent any more; but what the client said before it went counts, as far as it has arrived."""
        self._unreachable = True
        while self.gone is None and self.receive(socket.MSG_DONTWAIT):
            pass
        if self.gone is None:
            self._lost(reason)

    def _lost(self, reason: str) -> None:
        self._outgoing.clear()
        self.gone = reason
        self._ignore_sensors()

    def _ignore_sensors(self) -> None:
        """The client has gone: nothing more is measured for it."""
        self.robot.ignore_sensors()

    @property
    def congested(self) -> bool:
        """Whether so much is waiting to be sent that nothing more should be added."""
        return len(self._outgoing) > MOST_UNREAD and self.gone is None

    @property
    def backlog(self) -> bool:
        """Whether something is still waiting to be sent."""
        return bool(self._outgoing) and self.gone is None

    @property
    def backlog_is_old(self) -> bool:
        """Whether it has not taken all that was sent to it, so that it has to be looked after."""
        return self._unreachable or len(self._outgoing) > _LARGE

    def fileno(self) -> int:
        return self._socket.fileno()

    def receive(self, flags: int = 0, *, spin: bool = False) -> bool:
        """Takes what has come, waiting up to a tick for it, at first without sleeping; False if nothing came."""
        try:
            data = self._spinning_receive(_BUFFER) if spin else self._receive(_BUFFER, flags)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError as error:
            self._lost(f"connection lost: {error.strerror}")
            return False
        if data:
            self.take(data)
        else:
            self._lost("it closed the connection")
        return True

    def has_ended(self) -> bool:
        """Whether the client has gone, also if that has not been noticed yet; what it said before counts."""
        while self.gone is None and self.receive(socket.MSG_DONTWAIT):
            pass
        return self.gone is not None

    def look_for_loss(self) -> None:
        """Nothing has come for long: perhaps the client's machine cannot be reached any more."""
        if self.gone is None and is_unreachable(self._socket):
            self._lost(f"connection lost: {os.strerror(errno.ETIMEDOUT)}")

    def lend(self) -> tuple[bytes, bytes]:
        """Bytes that came and are not understood yet, and bytes that wait to be sent: until `take_back`, they are gone.

        Meanwhile the native lane reads and writes on this connection.
        """
        outgoing = bytes(self._outgoing)
        self._outgoing.clear()
        return self._reader.take_rest(), outgoing

    def take_back(self, sent: int, incoming: bytes, outgoing: bytes, taken: int) -> None:
        """Goes on from what has become of it: the last frame that was queued, and bytes as `lend` has them."""
        self.sent, self._plain_answer = sent, b""
        self._outgoing += outgoing
        self.taken += taken
        self.allowed = self._allowed()
        if incoming:
            self.take(incoming)

    def lost(self, error: int, *, sending: bool) -> None:
        """The lane has got an error from the socket, or its end (0), instead of bytes or while it sent some."""
        reason = f"connection lost: {os.strerror(error)}" if error else "it closed the connection"
        if self.gone is None:
            if sending:
                self._read_to_the_end(reason)
            else:
                self._lost(reason)

    @property
    def command_heads(self) -> dict[bytes, Target]:
        """The bytes that come before the value of each command."""
        return self._reader.command_heads()

    @property
    def lookahead(self) -> bool:
        """Whether the server runs ahead of its acks as far as latency allows."""
        return self._lookahead

    def acknowledge_quickly(self) -> None:
        """The client answers in pieces, perhaps with Nagle's algorithm on: acknowledged, the next comes at once."""
        acknowledge_at_once(self._socket)

    def take(self, data: bytes) -> None:
        """Understands bytes of the client's."""
        commands = self.robot.commands
        if data == self._plain_answer and self._reader.idle:  # by far the most common case
            commands.ack(self.sent)
            self.allowed = self._allowed()
        else:
            self._obey(self._reader.read(data))

    def _obey(self, messages: Iterable[tuple[Target, Any]]) -> None:
        commands = self.robot.commands
        try:
            for target, value in messages:
                if target is ACK:
                    self._ack_at(value)
                elif target is STAMP:
                    self._stamp_at(value)
                elif target[0] == CLIENT:
                    commands.receive_latency(None, value)
                elif target[0] in self._messages:
                    self._messages[target[0]](value)
                else:
                    self.robot.check(target, value)
                    commands.receive(None, (*target, value))
            while self._reader.drawings:
                self._draw(self.robot.name, self._reader.drawings.popleft())
            if self._reader.error is not None:
                raise self._reader.error
        except RemoteProtocolError as error:
            self.dismiss(str(error))
        except Exception as error:  # whatever it is, it concerns this client alone
            self.dismiss(f"the server could not take this: {error!r:.200}")
        self.allowed = self._allowed()

    def passes_over(self, frame: int, readings: Sequence[tuple[str, bytes]]) -> bool:
        """Whether a frame with these readings is not sent to it; then the frame is behind it."""
        return False

    def catch_up(self) -> None:
        """Frames that were not sent need no answer."""

    def _cancel(self, payload: bytes) -> None:
        """The client takes commands back."""
        component, time = decode_cancel(payload)
        if component and component not in self.robot.settable():
            raise RemoteProtocolError(f"there is no component {quoted(component)} whose commands could be cancelled")
        self.robot.commands.cancel_at(component, time)

    def _declare(self, payload: bytes) -> None:
        """The client has a parameter."""
        made = decode_declaration(payload)
        self.robot.parameters.declare(made)
        self._logs.declare(self.robot.name, self.robot.commands.acked + 1, made)
        self.tell_listened()

    def _log(self, payload: bytes) -> None:
        """The client says what it thinks; of a log that is replayed nothing listens."""
        self._logs.take(self.robot.name, self.robot.commands.acked + 1, payload)

    def tell_listened(self) -> None:
        """Tells a program that wants to know whether anything takes what it logs."""
        parameters = self.robot.parameters
        if LOG in parameters.declared and parameters.values[LOG] != self._logs.listened:
            parameters.change(LOG, self._logs.listened)

    def translated(self, time: float, readings: Sequence[tuple[str, bytes]]) -> Sequence[tuple[str, bytes]]:
        """What the frame of this time [s] has on the wire: first what the program is told of its parameters."""
        if self._compression and readings:
            readings = self._compression.compressed(readings)
        return [*self.robot.parameters.take_news(time), *readings] if self.news else readings

    def _ack_at(self, time: float) -> None:
        """The client has processed the frame of that time [s]."""
        self.robot.commands.ack_at(time, self.sent)

    def _stamp_at(self, time: float) -> None:
        """What the client commands from now on is sent at that time [s]."""
        self.robot.commands.stamp_at(time)

    def _allowed(self) -> int:
        commands = self.robot.commands
        return commands.horizon if self._lookahead else min(commands.horizon, commands.acked)

    def latency_changed(self) -> None:
        """The robot's latency may have been changed, not by the client itself."""
        self.allowed = self._allowed()

    def go_on_with(self, robot: CommandedRobot) -> None:
        """The robot is as it was in another frame, and may be made anew; the program is the same."""
        robot.parameters = self.robot.parameters
        self.robot = robot
        self.sent = robot.commands.acked
        self._plain_answer = b""
        self.allowed = self._allowed()
        if self.gone is not None:
            robot.ignore_sensors()

    @property
    def leaves_at(self) -> int:
        """The frame in which the robot of a client that has gone is taken out, before it is executed."""
        return self.robot.commands.leave_frame

    def dismiss(self, reason: str, why: EndReason = "failed") -> None:
        """Tells the client why it has to leave."""
        if self.gone is None:
            if why == "failed" or self._version < 2:
                self._outgoing += encode(Error(reason))
            self.say_end(why, self.sent, reason)
            self.flush()
            self.gone = reason
            self._ignore_sensors()

    def say_end(self, why: EndReason, frame: int, text: str) -> None:
        """The last message that the client gets, if it knows of such."""
        if self.gone is None and self._version >= 2:
            self._outgoing += encode(End(why, frame, text))

    def close(self, close_connection: Callable[[socket.socket, bytes], None]) -> None:
        """Ends the connection; what is on its way still arrives."""
        self._logs.forget(self.robot.name)
        close_connection(self._socket, bytes(self._outgoing))
