"""What one robot of a log was told and did, and what was done to it, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ubersim.recording.block import Block
from ubersim.recording.damage import damage
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.simulation.robot import Command
from ubersim.simulation.snapshot import Snapshot
from ubersim.supervision.commands.set_latency import SetLatency
from ubersim.supervision.commands.set_parameter import SetParameter
from ubersim.timing.latency import Latency


@dataclass
class RecordedFrame:
    """What the robot was told in a frame, and what it did in it."""

    number: int
    """As the log counts frames."""
    readings: list[tuple[str, bytes]] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    """Of its client's: what a supervisor set is not among them."""


@dataclass(frozen=True)
class NewLatency:
    """A supervisor changed its latency within a frame."""

    frame: int
    """As the log counts frames."""
    latency: Latency
    """[ms], or a model."""


@dataclass(frozen=True)
class NewParameter:
    """A supervisor changed a parameter of its program within a frame; it was told with the next."""

    frame: int
    """As the log counts frames."""
    name: str
    value: bool | float | str


@dataclass(frozen=True)
class Jump:
    """A supervisor took everything to another time within a frame that had been told, and was never executed."""

    frame: RecordedFrame
    to: int
    """The number of that instant from then on, as the simulation counts frames."""
    commands: dict[str, Any]
    """The state of the robot's `CommandSchedule` there."""


@dataclass(frozen=True)
class Leave:
    """It left the world within a frame that had been told, and was never executed with it."""

    frame: RecordedFrame
    reason: str


Moment = RecordedFrame | NewLatency | NewParameter | Jump | Leave


class RobotHistory:
    """The life of the robot that joined there."""

    def __init__(self, log: Log, joined: RecordedEvent, note: Callable[[str], None]) -> None:
        self._log = log
        self._joined = joined
        self._note = note
        self._frames: dict[int, RecordedFrame] = {}
        """Those that have begun, as far as they are known."""
        self._restoring = False
        self._unseen: set[str] = set()

    def moments(self) -> Iterator[Moment]:
        """From its joining to its leaving, or to the end of the log."""
        present, number = False, -1
        for item in self._log.items():
            if isinstance(item, Block):
                number += 1
                moments = self._block(item, number) if present else iter(())
            else:
                moments = self._moments_of(item) if present else iter(())
                present = present or (item.kind == "joined" and item.robot == self._joined.robot)
            with damage(self._log.path, f"what happened to {self._joined.robot}"):
                for moment in moments:
                    yield moment
                    if isinstance(moment, Leave):
                        return

    def _block(self, block: Block, number: int) -> Iterator[Moment]:
        if not self._restoring:
            self._take(block, number)
        elif block.end > block.first:
            yield Leave(
                RecordedFrame(block.first), "a restore failed, and the log does not say what became of this client"
            )
        for frame in range(block.first, block.end):
            yield self._pop(frame)

    def _moments_of(self, item: RecordedEvent) -> Iterator[Moment]:
        own = self._joined.robot in (item.robot, item.arguments.get("robot"))
        match item.kind:
            case "intervened" if own and item.label == "Latency" and not item.arguments.get("sensor"):
                yield NewLatency(item.frame, SetLatency.read(item.arguments).latency)
            case "intervened" if own and item.label == "SetParameter":
                done = SetParameter.read(item.arguments)
                yield NewParameter(item.frame, done.name, done.value)
            case "intervened" if own and item.label == "Set":
                self._frames[item.frame].commands.pop()  # it has just been executed, but its client knows nothing of it
            case "restoring":
                self._restoring = True
            case "restored":
                self._restoring = False
                yield self._restored(self._pop(item.frame), Snapshot.from_bytes(item.snapshot_bytes))
            case "left" if own and not self._restoring:
                yield Leave(self._pop(item.frame), "its robot left the world")

    def _restored(self, frame: RecordedFrame, snapshot: Snapshot) -> Moment:
        """Its client goes on with the same robot, if there is one."""
        identity = {"name": self._joined.robot, "document": self._joined.document}
        for robot in snapshot.robots:
            if robot["identity"] == identity:
                return Jump(frame, snapshot.frame, robot["commands"])
        return Leave(frame, "a supervisor has taken this robot out of the world")

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
                    self._frame(frame).readings.append((sensor, payload + message[len(message) - picture :]))
        for frame, component, number, value in block.executed():
            robot, name = block.components[component]
            if robot == self._joined.robot:
                self._frame(frame).commands.append((name, number, value))

    def _frame(self, number: int) -> RecordedFrame:
        return self._frames.setdefault(number, RecordedFrame(number))

    def _pop(self, number: int) -> RecordedFrame:
        return self._frames.pop(number, None) or RecordedFrame(number)

    def _miss(self, sensor: str) -> None:
        if sensor not in self._unseen:
            self._unseen.add(sensor)
            self._note(f"not all pictures of {sensor} were recorded; the client gets only those that were")
