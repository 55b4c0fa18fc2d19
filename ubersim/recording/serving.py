"""A client program runs from a log: it gets the frames and readings that its robot got then, as often as one likes.

Its commands change nothing. They go through the same delays as then, so that what would have been executed in each
frame can be compared with what was.
"""

from __future__ import annotations

import socket
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ubersim.description import read_robot
from ubersim.description.materials_file import read_materials
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.lockstep import CommandSchedule
from ubersim.protocol import Error, Handshake, ServerConnection, Welcome
from ubersim.protocol.fast import ACK, STAMP, CommandReader, FrameWriter
from ubersim.protocol.messages import encode
from ubersim.recording.block import Block
from ubersim.recording.happening import Happening, without_token
from ubersim.recording.log import Log
from ubersim.robot import CLIENT, Command

_BUFFER = 1 << 16


@dataclass
class Outcome:
    """How a client did."""

    frames: int = 0
    """Frames that were executed."""
    commands: int = 0
    """Commands that were executed in them, then."""
    difference: str = ""
    """The first frame in which other commands would have been executed; empty: there was none."""
    ended: str = "the log has no more frames"
    """Why no more frames were sent."""


class Frame:
    """What a robot was told in a frame, and what it did in it."""

    def __init__(self) -> None:
        self.readings: list[tuple[str, bytes]] = []
        self.commands: list[Command] = []


def serve(log: Log, name: str, listener: socket.socket, note: Callable[[str], None]) -> Outcome:
    """Waits for the client of that robot, and takes it through the log."""
    joined = _joining(log, name)
    connection, early = _admit(listener, log, joined, note)
    with connection:
        return _Session(log, joined, connection).run(_Past(log, joined, note).frames(), early)


def _joining(log: Log, name: str) -> Happening:
    """When the robot joined first."""
    names: dict[str, None] = {}
    for item in log.items():
        if isinstance(item, Happening) and item.kind == "joined":
            names[item.robot] = None
            if item.robot == name:
                return item
    raise UberSimError(f"there is no robot {name!r} in {log.path}; there are {', '.join(names) or 'none'}")


def _admit(
    listener: socket.socket, log: Log, joined: Happening, note: Callable[[str], None]
) -> tuple[socket.socket, bytes]:
    """The connection of a client that names the robot; whoever names another one is sent away."""
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wire = ServerConnection()
        try:
            while data := connection.recv(_BUFFER):
                wire.receive_data(data)
                for event in wire.events():
                    assert isinstance(event, Handshake)
                    name = read_robot(event.document, materials=read_materials(log.materials)).name
                    if name != joined.robot:
                        raise UberSimError(f"this log is replayed to {joined.robot!r}, not to {name!r}")
                    if without_token(event.document.decode("utf-8-sig")) != joined.document:
                        note("the client sends another document than then; it gets the readings of the recorded robot")
                    return connection, wire.trailing_data
        except UberSimError as error:
            connection.sendall(encode(Error(str(error))))
        except OSError:
            pass
        connection.close()


class _Past:
    """What a robot was told and did, frame by frame."""

    def __init__(self, log: Log, joined: Happening, note: Callable[[str], None]) -> None:
        self._log = log
        self._joined = joined
        self._note = note
        self._frames: dict[int, Frame] = defaultdict(Frame)
        self._unseen: set[str] = set()

    def frames(self) -> Iterator[tuple[int, Frame]]:
        """From the frame in which the robot joined to that in which it left."""
        present, number = False, -1
        for item in self._log.items():
            if isinstance(item, Block):
                number += 1
                if present:
                    self._take(item, number)
                    for frame in range(item.first, item.end):
                        yield frame, self._frames.pop(frame, Frame())
            elif item.kind == "restored":
                raise UberSimError(f"the log goes to another time in frame {item.frame}, where no client can follow")
            elif item.robot == self._joined.robot:
                if present:
                    return
                present = True

    def _take(self, block: Block, number: int) -> None:
        pictures = self._log.pictures(number) if block.readings["picture"].any() else {}
        place = 0
        for frame, component, size, picture in block.readings.tolist():
            robot, sensor = block.components[component]
            payload, place = block.payloads[place : place + size], place + size
            if robot == self._joined.robot:
                message = pictures.get((f"/{robot}/{sensor}", frame), b"")
                if picture and not message:
                    self._miss(sensor)
                else:
                    self._frames[frame].readings.append((sensor, payload + message[len(message) - picture :]))
        for frame, component, property, value in block.commands.tolist():
            robot, name = block.components[component]
            if robot == self._joined.robot:
                self._frames[frame].commands.append((name, property, value))

    def _miss(self, sensor: str) -> None:
        if sensor not in self._unseen:
            self._unseen.add(sensor)
            self._note(f"not all pictures of {sensor} were recorded; the client gets only those that were")


class _Session:
    """The server's side of the wire. Time goes on as the client's acknowledgements allow, as it does in a server."""

    def __init__(self, log: Log, joined: Happening, connection: socket.socket) -> None:
        self._step = log.step
        self._socket = connection
        self._reader = CommandReader({name: frozenset(own.values()) for name, own in joined.properties.items()})
        self._commands = _schedule(log, joined)
        now = {"protocol": 1, "step": log.step, "frame": joined.frame}
        self._outgoing = encode(Welcome(now | joined.introduction))

    def run(self, frames: Iterator[tuple[int, Frame]], early: bytes) -> Outcome:
        """Until the log ends, or the client goes."""
        outcome, writer = Outcome(), FrameWriter()
        self._sent = -1
        try:
            self._take(early)
            for number, frame in frames:
                self._socket.sendall(self._outgoing + writer.frame(number * self._step, frame.readings))
                self._outgoing, self._sent = b"", number
                while self._commands.horizon < number:
                    data = self._socket.recv(_BUFFER)
                    if not data:
                        outcome.ended = "the client closed the connection"
                        return outcome
                    self._take(data)
                self._compare(outcome, number, frame.commands)
        except RemoteProtocolError as error:
            self._socket.sendall(encode(Error(str(error))))
            outcome.ended = f"the client broke the protocol: {error}"
        except OSError as error:
            outcome.ended = f"connection lost: {error.strerror}"
        return outcome

    def _take(self, data: bytes) -> None:
        commands = self._commands
        for target, value in self._reader.read(data):
            if target is ACK:
                commands.ack_at(value, self._sent)
            elif target is STAMP:
                commands.stamp_at(value)
            elif target[0] == CLIENT:
                commands.receive_latency(None, value)
            else:
                commands.receive(None, (*target, value))
        if self._reader.error is not None:
            raise self._reader.error

    def _compare(self, outcome: Outcome, number: int, then: list[Command]) -> None:
        now = self._commands.due(number)
        outcome.frames += 1
        outcome.commands += len(then)
        if now != then and not outcome.difference:
            place = f"frame {number} ({number * self._step:g} s)"
            outcome.difference = f"{place}: then {_text(then)}, now {_text(now)}"


def _schedule(log: Log, joined: Happening) -> CommandSchedule[Command]:
    """The delays of the robot's commands, with the same draws as then."""
    latency = read_robot(joined.document, materials=read_materials(log.materials)).settings.latency
    rng = latency.generator(int(log.facts["seed"]), joined.robot, CLIENT)
    schedule: CommandSchedule[Command] = CommandSchedule(latency, log.step, rng, first_frame=joined.frame)
    for state in log.start.robots if joined.frame == log.first else ():
        if state["identity"]["name"] == joined.robot:  # it was there before the log began, with commands under way
            schedule.restore(state["commands"], lambda plain: (plain[0], plain[1], plain[2]))
    return schedule


def _text(commands: list[Command]) -> str:
    return ", ".join(f"{component}[{number}] = {value:.9g}" for component, number, value in commands) or "no command"
