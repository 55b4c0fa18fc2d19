"""A robot in the same process, as `ubersim.connect` gives one over TCP: its program looks, thinks and commands.

In a program:

    robot = LocalRobot(simulation, simulation.spawn("robots/segway.xml"), think=35.0, hz=50.0)
    for frame in robot:                                # the world goes on while the program thinks
        robot.set("LMotor", "Vel", 12.0 * frame["Tilt"])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

from ubersim.components.commandable import single
from ubersim.errors import UberSimError
from ubersim.protocol.drawings import drawing
from ubersim.protocol.frames import Frame, FrameDecoder, Value
from ubersim.protocol.log_entries import LogLevel, log_entry
from ubersim.protocol.parameters import Declaration
from ubersim.protocol.program_parameters import Parameter, ParameterDeclarer, ProgramParameters
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.named import found
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import CLIENT, Robot
from ubersim.simulation.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.chunks import Chunk, ChunkPlan, Handover
from ubersim.timing.latency import frame_at, objection_to_own
from ubersim.timing.program_clock import ProgramClock
from ubersim.timing.sparse_frames import SparseFrames
from ubersim.timing.think_time import Think, ThinkTime


class LocalRobot(ParameterDeclarer):
    """The program's side of a robot, with the methods of `RemoteRobot`: the same program gets the same bits.

    One program in a simulation lets its time pass.
    """

    def __init__(
        self,
        simulation: Simulation,
        robot: Robot,
        *,
        think: Think = 0.0,
        hz: float | None = None,
        overlap: bool = False,
        seed: int = 0,
    ) -> None:
        """`think`, `hz` and `overlap` are as in `RemoteRobot.think`."""
        self.simulation, self.robot = simulation, robot
        now = simulation.frame
        self.settings: dict[str, Any] = {"step": simulation.step_size, "frame": now, **introduction_of(robot)}
        """What a server would say in its welcome."""
        self.name = robot.name
        """The robot's name in the world."""
        self.step = simulation.step_size
        """Length of a frame [s]."""
        self.frame: Frame | None = None
        """The frame that the program looked at last; None before the first."""
        self._decoder = FrameDecoder(self.settings["sensors"])
        self.latest: dict[str, Value] = self._decoder.latest
        """As `RemoteRobot.latest`."""
        self._parameters = ProgramParameters()
        self._stamp = 0
        self.think(think, hz=hz, overlap=overlap, seed=seed)
        self._readings: list[tuple[int, Sequence[tuple[str, bytes]]]] = []
        self._wanted: list[Callable[[int], None]] = []
        self._plan = ChunkPlan(self.step)
        sparse = robot.description.settings.timestamps == "readings"
        self._sparse = SparseFrames(self.step, now) if sparse else None
        self._open = False
        self._looked_at = 0.0
        self._clock: ProgramClock[Frame] | None = None
        self._ear = _Ear(self)
        if robot.sensed == now:
            self._ear.sensed(robot)
        simulation.observers.append(self._ear)

    def __enter__(self) -> LocalRobot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def think(self, think: Think, *, hz: float | None = None, overlap: bool = False, seed: int = 0) -> None:
        """As `RemoteRobot.think`."""
        self.thinking = ThinkTime(
            think, self.step, hz=hz, overlap=overlap, name=self.name, seed=seed, first_frame=self.simulation.frame
        )
        """When it looks, and from when its commands count."""

    def close(self) -> None:
        """Looks no more; the robot stays."""
        if self._ear in self.simulation.observers:
            self.simulation.observers.remove(self._ear)

    def __iter__(self) -> Iterator[Frame]:
        while True:
            yield self.next_frame()

    def read(self, sensor: str) -> Value | None:
        """As `RemoteRobot.read`: the newest reading that the program has looked at; None before the first."""
        return self._decoder.read(sensor)

    def find(self, *, feature: str | None = None, type: str | None = None, model: str | None = None) -> list[str]:
        """As `RemoteRobot.find`."""
        return self._decoder.find(feature=feature, type=type, model=model)

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component when the program has thought; it takes the robot's latency on top."""
        value, robot, stamp = self._checked(component, name, value), self.robot, self._stamp
        self._wanted.append(lambda frame: robot.command(component, name, value, frame=max(frame, stamp)))

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own when the program has thought."""
        found(self.name, "component", self.robot.components, component)  # refuses one that there is not
        stamp = self._stamp
        self._wanted.append(lambda frame: self.robot.send(component, payload, frame=max(frame, stamp)))

    def cancel(self, component: str = "", time: float = 0.0) -> None:
        """As `RemoteRobot.cancel`."""
        if component:
            found(self.name, "component", self.robot.components, component)
        first, stamp = frame_at(time, self.step), self._stamp
        self._wanted.append(lambda frame: self.robot.cancel(component, frame=first, stamp=max(frame, stamp)))

    def stamp(self, time: float) -> None:
        """The commands after this count as sent at `time` [s], if the program has thought by then."""
        self._stamp = frame_at(time, self.step)

    def set_latency(self, milliseconds: float) -> None:
        """Changes the robot's own actuation latency, to a number; `Robot.set_latency` sets models, too."""
        if reason := objection_to_own(milliseconds):
            raise UberSimError(reason)
        self.set(CLIENT, "Latency", milliseconds)

    def declare(self, made: Declaration) -> Parameter:
        """As `parameter`, for a declaration that is there already."""
        self.robot.parameters.declare(made)
        for observer in self._listeners():
            observer.declared(self.robot, self.simulation.frame, made)
        return self._parameters.declare(made)

    def log(self, name: str, value: Any, *, level: LogLevel = "info", space: str = "") -> None:
        """As `RemoteRobot.log`."""
        if listeners := self._listeners():
            entry = log_entry(name, value, level=level, space=space)
            for observer in listeners:
                observer.logged(self.robot, self.simulation.frame, entry)

    def _listeners(self) -> list[Observer]:
        return [observer for observer in self.simulation.observers if observer.hears_programs]

    def draw(self, name: str, *, image: Any = None, **what: Any) -> None:
        """As `RemoteRobot.draw`; without a server no page shows it, so only its form is checked."""
        drawing(name, **what)

    def chunk(
        self, actions: Mapping[tuple[str, str], Sequence[float]], seconds: float, handover: Handover = "replace"
    ) -> None:
        """As `RemoteRobot.chunk`."""
        chunk = Chunk.of(actions, seconds, handover)
        for (component, name), value in zip(chunk.targets, chunk.rows[0], strict=True):
            self._checked(component, name, value)
        self._wanted.append(lambda frame: self._command_chunk(chunk, frame))

    def next_frame(self) -> Frame:
        """Lets time pass until the program looks again, and returns what it sees then."""
        self.go_on()
        self._parameters.sift(self.robot.parameters.take_news(self.simulation.time))
        *passed, now = [self._decoder.frame(frame * self.step, read) for frame, read in self._all()]
        self.frame = now.after(passed)
        if self._clock is not None:
            self._clock.told(now.time)
        return self.frame

    @property
    def clock(self) -> ProgramClock[Frame]:
        """As `RemoteRobot.clock`."""
        if self._clock is None:
            self._clock = ProgramClock(self.next_frame, self.step, self.simulation.time)
        return self._clock

    def go_on(self) -> None:
        """Lets time pass until the program looks again: what it has commanded counts from when it has thought."""
        thinking, simulation = self.thinking, self.simulation
        if self._open:
            decided = thinking.decide(perf_counter() - self._looked_at if thinking.measured else 0.0)
            wanted, self._wanted = self._wanted, []
            for command in wanted:
                command(decided)
            self._readings.clear()
        simulation.step(thinking.next_look - simulation.frame)
        if self._sparse is not None:
            self._go_on_to_readings(self._sparse)
        thinking.look(simulation.frame)
        self._open, self._looked_at = True, perf_counter()

    def _go_on_to_readings(self, frames: SparseFrames) -> None:
        """To a frame that the wire would have for it: one with readings, or the one that comes after a second."""
        simulation = self.simulation
        for frame, _ in self._readings:
            frames.tells(frame, readings=True)
        while True:
            now = simulation.frame
            frames.told += max(0, (now - frames.told) // frames.silence) * frames.silence
            if frames.told == now:
                return
            simulation.step(max(1, min(frames.latest, self.robot.next_frame) - now))
            if self._readings and self._readings[-1][0] == simulation.frame:
                frames.tells(simulation.frame, readings=True)

    def _checked(self, component: str, name: str | int, value: float) -> float:
        """The value as it is on the wire, if there is such a property and it can have it."""
        target = self.robot.numbered(component, name)
        value = single(value)
        if component != CLIENT:
            self.robot.check(target, value)
        return value

    def _command_chunk(self, chunk: Chunk, decided: int) -> None:
        if self._plan.handover != chunk.handover:
            self._plan = ChunkPlan(self.step, chunk.handover)
        for component in dict.fromkeys(component for component, _ in chunk.targets):
            self.robot.cancel(component, stamp=decided)
        for frame, row in self._plan.take(decided, chunk.seconds, chunk.rows):
            for (component, name), value in zip(chunk.targets, row, strict=True):
                self.robot.command(component, name, self._checked(component, name, value), frame=frame)

    def _all(self) -> Iterator[tuple[int, Sequence[tuple[str, bytes]]]]:
        """The frames with readings since the last look, and this one."""
        yield from self._readings
        if not self._readings or self._readings[-1][0] != self.simulation.frame:
            yield self.simulation.frame, ()

    def _restart(self) -> None:
        """The program's time is set back with the world's; what it was about to command is forgotten."""
        self.robot = self.simulation.robots.get(self.robot.name, self.robot)
        self._readings.clear()
        self._wanted.clear()
        self._plan.clear()
        self._open = False
        self.thinking.begin(self.simulation.frame)
        if self._sparse is not None:
            self._sparse.begin(self.simulation.frame)


class _Ear(Observer):
    """Hears for a program what the simulation tells."""

    def __init__(self, program: LocalRobot) -> None:
        self._program = program

    def sensed(self, robot: Robot) -> None:
        """Keeps what the program has not seen yet."""
        if robot is self._program.robot:
            self._program._readings.append((robot.sensed, robot.readings))

    def restored(self, snapshot: Snapshot, before: int) -> None:
        """The world's time is another."""
        self._program._restart()
