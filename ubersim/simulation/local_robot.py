"""A robot in the same process, as `ubersim.connect` gives one over TCP: its program looks, thinks and commands.

In a program:

    robot = LocalRobot(simulation, simulation.spawn("robots/segway.xml"), think=35.0, hz=50.0)
    for frame in robot:                                # the world goes on while the program thinks
        robot.set("LMotor", "Vel", 12.0 * frame["Tilt"])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from struct import Struct
from time import perf_counter

from ubersim.errors import UberSimError
from ubersim.protocol.frames import Frame, FrameDecoder
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import CLIENT, Robot
from ubersim.simulation.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.chunks import Chunk, ChunkPlan, Handover
from ubersim.timing.latency import frame_at
from ubersim.timing.think_time import Think, ThinkTime

_SINGLE = Struct("<f")


class LocalRobot:
    """The program's side of a robot. One program in a simulation lets its time pass; the same bits as over TCP."""

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
        self.thinking = ThinkTime(
            think, simulation.step_size, hz=hz, overlap=overlap, name=robot.name, seed=seed, first_frame=now
        )
        """When it looks, and from when its commands count."""
        self._decoder = FrameDecoder(robot.introduction()["sensors"])
        self._readings: list[tuple[int, Sequence[tuple[str, bytes]]]] = []
        self._wanted: list[Callable[[int], None]] = []
        self._plan = ChunkPlan(simulation.step_size)
        self._open = False
        self._looked_at = 0.0
        self._ear = _Ear(self)
        if robot.sensed == now:
            self._ear.sensed(robot)
        simulation.observers.append(self._ear)

    def close(self) -> None:
        """Looks no more."""
        if self._ear in self.simulation.observers:
            self.simulation.observers.remove(self._ear)

    def __iter__(self) -> Iterator[Frame]:
        while True:
            yield self.next_frame()

    def set(self, component: str, name: str | int, value: float) -> None:
        """Sets a property of a component when the program has thought; it takes the robot's latency on top."""
        value, robot = self._checked(component, name, value), self.robot
        self._wanted.append(lambda frame: robot.command(component, name, value, frame=frame))

    def send(self, component: str, payload: bytes) -> None:
        """Sends a component a payload of its own when the program has thought."""
        self._wanted.append(lambda frame: self.robot.send(component, payload, frame=frame))

    def cancel(self, component: str = "", time: float = 0.0) -> None:
        """As `RemoteRobot.cancel`."""
        first = frame_at(time, self.simulation.step_size)
        self._wanted.append(lambda frame: self.robot.cancel(component, frame=first, stamp=frame))

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
        *passed, now = [self._decoder.frame(frame * self.simulation.step_size, read) for frame, read in self._all()]
        return now.after(passed)

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
        thinking.look(simulation.frame)
        self._open, self._looked_at = True, perf_counter()

    def _checked(self, component: str, name: str | int, value: float) -> float:
        """The value as it is on the wire, if there is such a property and it can have it."""
        target = self.robot.numbered(component, name)
        try:
            (single,) = _SINGLE.unpack(_SINGLE.pack(value))
        except OverflowError:
            raise UberSimError(f"{value} for {name} of {component} does not fit into single precision") from None
        if component != CLIENT:
            self.robot.check(target, single)
        return float(single)

    def _command_chunk(self, chunk: Chunk, decided: int) -> None:
        if self._plan.handover != chunk.handover:
            self._plan = ChunkPlan(self.simulation.step_size, chunk.handover)
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
