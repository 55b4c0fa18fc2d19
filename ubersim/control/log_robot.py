"""A robot that a log remembers: a program gets the frames and readings of then, and its commands change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ubersim.components.commandable import single
from ubersim.errors import UberSimError
from ubersim.protocol.end import End
from ubersim.protocol.frames import Frame, FrameDecoder, Value
from ubersim.protocol.log_entries import LogLevel
from ubersim.protocol.names import CLIENT
from ubersim.protocol.parameters import Declaration
from ubersim.protocol.program_parameters import Parameter, ParameterDeclarer, ProgramParameters
from ubersim.protocol.suggestion import suggestion
from ubersim.recording import Log
from ubersim.recording.event import RecordedEvent
from ubersim.recording.replayed_robot import ReplayedRobot
from ubersim.recording.robot_history import Jump, Leave, Moment, NewLatency, NewParameter, RecordedFrame, RobotHistory
from ubersim.simulation.named import found
from ubersim.timing.latency import objection_to_own
from ubersim.timing.program_clock import ProgramClock


def _joined(log: Log, name: str | None) -> RecordedEvent:
    """When the robot joined first."""
    joined = [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]
    for event in joined:
        if name in (None, event.robot):
            return event
    names = ", ".join(dict.fromkeys(event.robot for event in joined)) or "none"
    raise UberSimError(f"there is no robot {name!r} in {log.path}; there are {names}")


class LogRobot(ParameterDeclarer):
    """The program's side, as `RemoteRobot`; commands go through the same delays as then, and are compared."""

    def __init__(self, path: str | Path, robot: str | None = None) -> None:
        """`robot` is its name in the log; without it, the first that joined."""
        self._log = Log(path)
        joined = _joined(self._log, robot)
        self._robot = ReplayedRobot(self._log, joined)
        self.settings: dict[str, Any] = {"step": self._log.step, "frame": joined.frame, **joined.introduction}
        """What its program was told in the welcome."""
        self.name = joined.robot
        """The robot's name in its world."""
        self.step = self._log.step
        """Length of a frame [s]."""
        self.frame: Frame | None = None
        """The frame that the program looked at last; None before the first."""
        self.commands: list[tuple[float, str, str | int, float]] = []
        """What the program has commanded: time of the frame [s], component, property, value."""
        self.difference = ""
        """The first frame in which other commands would have been executed than then; empty: none so far."""
        self._properties = joined.properties
        self._decoder = FrameDecoder(self.settings["sensors"])
        self.latest: dict[str, Value] = self._decoder.latest
        """As `RemoteRobot.latest`."""
        self.clock: ProgramClock[Frame] = ProgramClock(self.next_frame, self.step, joined.frame * self.step)
        """Simulated time, sleep and interval timers."""
        self._moments: Iterator[Moment] = RobotHistory(self._log, joined, lambda _: None).moments()
        self._open: RecordedFrame | None = None
        self._shift = 0
        self._parameters = ProgramParameters()
        self._changes: list[NewParameter] = []
        self._compares = "real" not in self._log.facts
        self.end: End | None = None
        """Why no more frames come; None as long as they do."""

    def __enter__(self) -> LogRobot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self.next_frame()) is not None:
            yield frame

    def close(self) -> None:
        """Closes the log."""
        self._log.__exit__()

    def read(self, sensor: str) -> Value | None:
        """The newest reading so far, or one value of it; None before the first."""
        return self._decoder.read(sensor)

    def set(self, component: str, name: str | int, value: float) -> None:
        """Commands as then; nothing moves by it."""
        known = found(self.name, "component", self._properties, component)
        if name not in (known if isinstance(name, str) else known.values()):
            raise UberSimError(f"{component} has no property {name!r}; {suggestion(str(name), known)}")
        number, given = known[name] if isinstance(name, str) else name, single(value)
        if self.frame is None:
            return  # no frame is open yet that it could be an answer to
        self.commands.append((self.frame.time, component, name, value))
        if component == CLIENT:
            self._robot.commands.receive_latency(None, given)
        else:
            self._robot.commands.receive(None, (component, number, given))

    def set_latency(self, milliseconds: float) -> None:
        """As `RemoteRobot.set_latency`."""
        if reason := objection_to_own(milliseconds):
            raise UberSimError(reason)
        self.set(CLIENT, "Latency", milliseconds)

    def declare(self, made: Declaration) -> Parameter:
        """The parameter changes in the frames in which it was changed then."""
        return self._parameters.declare(made)

    def find(self, *, feature: str | None = None, type: str | None = None, model: str | None = None) -> list[str]:
        """As `RemoteRobot.find`."""
        return self._decoder.find(feature=feature, type=type, model=model)

    def log(self, name: str, value: Any, *, level: LogLevel = "info", space: str = "") -> None:
        """As `RemoteRobot.log`: nothing listens."""

    def draw(self, name: str, *, image: Any = None, **what: Any) -> None:
        """As `RemoteRobot.draw`: nobody watches."""

    def next_frame(self) -> Frame | None:
        """The next frame of the log; None: it has no more, or the robot left."""
        self._answered()
        for moment in self._moments:
            match moment:
                case RecordedFrame():
                    self._open = moment
                    time = (moment.number - self._shift) * self.step
                    self._change_parameters(moment.number, time)
                    self.frame = self._decoder.frame(time, moment.readings)
                    self.clock.told(time)
                    return self.frame
                case NewLatency():
                    self._robot.commands.change_latency(moment.frame - self._shift + 1, moment.latency)
                case NewParameter():
                    self._changes.append(moment)
                case Jump():
                    self._robot.restore(moment.commands)
                    self._shift = moment.frame.number - moment.to
                case Leave():
                    self._end(moment.frame.number, moment.reason)
                    return None
        self._end(self._log.last, "the log has no more")
        return None

    def _end(self, frame: int, why: str) -> None:
        if self.end is None:
            self.end = End("finished", frame - self._shift, why)

    def _change_parameters(self, number: int, time: float) -> None:
        """What was changed within a frame, the program was told with the next."""
        while self._changes and self._changes[0].frame < number:
            change = self._changes.pop(0)
            if change.name in self._parameters.by_name:  # else the program declares it no more
                self._parameters.change(time, change.name, change.value)

    def _answered(self) -> None:
        """The program has said all that it has to say to the frame that is open."""
        frame, self._open = self._open, None
        if frame is None:
            return
        number, commands = frame.number - self._shift, self._robot.commands
        commands.ack(number)
        now = commands.due(number)
        if self._compares and now != frame.commands and not self.difference:
            self.difference = f"frame {frame.number}: then {frame.commands}, now {now}"
