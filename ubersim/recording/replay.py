"""Lets a recorded run happen again, from its commands alone, and compares every body in every frame."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ubersim.description import RobotDescription, read_robot, read_world
from ubersim.description.materials_file import read_materials
from ubersim.errors import ExplodedError, UberSimError
from ubersim.geometry import Pose
from ubersim.physics.state_hashes import StateHashes
from ubersim.recording.block import Block, bodies_of, state_of
from ubersim.recording.damage import damage
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Item, Log
from ubersim.simulation import Simulation
from ubersim.simulation.applied_force import AppliedForce
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.supervision import Interventions
from ubersim.timing.latency import Constant, generator
from ubersim.timing.lockstep import CommandSchedule

RecordedCommand = tuple[str, str, int, float | bytes]
"""Robot, component, number of the property, value."""


@dataclass(frozen=True)
class Difference:
    """Where a replay leaves the way of the recorded run."""

    frame: int
    """The first frame in which anything differs, as the log counts frames."""
    time: float
    """Its time [s]."""
    robot: str
    """Whose body differs; empty: an object of the world's."""
    body: str
    """The body that differs; of several, the first."""
    others: int = 0
    """How many more bodies differ in that frame."""
    reason: str = ""
    """What happened, if it is not just other numbers."""

    def __str__(self) -> str:
        owner = f"robot {self.robot}" if self.robot else "the world"
        more = f" and {self.others} more" if self.others else ""
        what = self.reason or f"{owner}, body {self.body}{more}"
        return f"first difference in frame {self.frame} ({self.time:g} s): {what}"


def replay(log: Log, progress: Callable[[int], None] | None = None) -> Difference | None:
    """The first difference between the log and what happens now; None if there is none."""
    if "real" in log.facts:
        raise UberSimError(f"{log.path} is a real robot's run: no simulation led to it, so none can repeat it")
    with damage(log.path, "what it begins with"):
        replayed = ReplayedRun(log)
    for item in log.items():
        with damage(log.path, _what(item)):
            difference = replayed.apply(item) if isinstance(item, RecordedEvent) else replayed.run(item)
        if difference is not None:
            return difference
        if progress is not None and isinstance(item, Block):
            progress(item.end)
    return None


def _what(item: Item) -> str:
    return f"frame {item.frame}" if isinstance(item, RecordedEvent) else f"from frame {item.first}"


class ReplayedRun:
    """The run, a second time. Its robots have no sensors, which change nothing, and no latency, which is over."""

    def __init__(self, log: Log) -> None:
        materials = read_materials(log.materials)
        world, seed = read_world(log.world, materials=materials), log.seed
        self.simulation = Simulation(world, materials=materials, step=log.step, seed=seed)
        """As far as it has come."""
        self._log = log
        self._start: Snapshot | None = log.start
        self._begin()

    def begin_again(self) -> None:
        """From the beginning, in the same simulation."""
        for name in list(self.simulation.robots):
            self.simulation.remove(name)
        self.simulation.forces.restore(())
        self._start = self._log.start
        self._begin()

    def _begin(self) -> None:
        """Once the robots are there that were there when recording began, all is put where it was."""
        if self._start is not None and len(self.simulation.robots) == len(self._start.robots):
            self.restore(self._start)
            self._start = None

    def apply(self, event: RecordedEvent) -> Difference | None:
        """What the recording was told of."""
        simulation = self.simulation
        match event.kind:
            case "joined":
                description = _bare(read_robot(event.document, materials=simulation.materials), event.robot)
                simulation.add(description, Pose(np.array(event.position), np.array(event.rotation)))
                self._begin()
            case "left":
                simulation.remove(event.robot)
            case "pushed":
                simulation.forces.add(AppliedForce.restored(event.arguments))
            case "intervened":
                Interventions(simulation).repeat(event.label, event.arguments)
            case "reset":
                simulation.reset_objects()
            case "restored":
                self.restore(Snapshot.from_bytes(event.snapshot_bytes))
            case "exploded":
                return self._explode(event.frame)
        return None

    def run(self, block: Block) -> Difference | None:
        """The frames of a block."""
        simulation = self.simulation
        shift = block.first - simulation.frame
        if bodies_of(simulation) != block.bodies:
            return self._unexpected(block.first, "the log has other bodies than there are now")
        if difference := self._compare(block, block.first, state_of(simulation.world)[None] != block.states[:1]):
            return difference
        tape = StateHashes(simulation.world, block.end - block.first)
        explosion = None
        try:
            self._take(block, block.first, None, shift)
        except ExplodedError as error:
            explosion = self._unexpected(simulation.frame + shift, f"a step fails that did not fail then: {error}")
        prints = tape.take()
        known = min(len(prints), len(block.fingerprints))
        difference = self._compare(block, block.first + 1, prints[:known] != block.fingerprints[:known]) or explosion
        if difference is None and known < len(prints):
            return self._unexpected(block.first + known, "from here on the log does not say how it was")
        return difference

    def go(self, block: Block, now: int, frame: int | None) -> None:
        """From one frame of a block, in which it is now, to another, or to its end; nothing is compared."""
        self._take(block, now, frame, now - self.simulation.frame)

    def take_frame(self, commands: Iterable[RecordedCommand]) -> None:
        """One frame, in which these commands were executed."""
        for robot, component, number, value in commands:
            self._command(self.simulation.robots[robot], component, number, value)
        self.simulation.step(1)

    def _take(self, block: Block, now: int, frame: int | None, shift: int) -> None:
        """Steps to a frame of a block, or to its end; `shift` is by how much the log counts frames differently."""
        simulation, end = self.simulation, block.end if frame is None else frame
        for number, commands in commands_by_frame(block):
            if number < now or (frame is not None and number >= frame):
                continue
            simulation.step(number - shift - simulation.frame)
            for robot, component, property_, value in commands:
                self._command(simulation.robots[robot], component, property_, value)
        simulation.step(end - shift - simulation.frame)

    def _compare(self, block: Block, first: int, differs: NDArray[np.bool_]) -> Difference | None:
        """From what differs, by frame and body (and number); the first of the frames is `first`."""
        frames = np.argwhere(differs)[:, 0]
        if not len(frames):
            return None
        bodies = np.unique(np.argwhere(differs[frames[0]])[:, 0])
        robot, body = block.bodies[bodies[0]]
        frame = first + int(frames[0])
        return Difference(frame, frame * self.simulation.step_size, robot, body, others=len(bodies) - 1)

    def _command(self, robot: Robot, component: str, number: int, value: float | bytes) -> None:
        if component not in robot.components:
            return  # a sensor, which it does not have here
        if isinstance(value, bytes):
            robot.send(component, value)
        else:
            robot.command(component, number, value)

    def _explode(self, frame: int) -> Difference | None:
        """Tries the step in vain, as it was tried then."""
        simulation = self.simulation
        for robot in simulation.robots.values():
            robot.commands.ack(simulation.frame)
        try:
            simulation.finish_frame()
        except ExplodedError:
            return None
        return self._unexpected(frame, "a step failed then that does not fail now")

    def _unexpected(self, frame: int, reason: str) -> Difference:
        return Difference(frame, frame * self.simulation.step_size, "", "", reason=reason)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from a snapshot; what was under way is not, for the log has it where it arrived."""
        simulation = self.simulation
        simulation.restore(snapshot)
        step, now = simulation.step_size, simulation.frame
        for robot in simulation.robots.values():
            robot.commands = CommandSchedule(Constant(0.0), step, generator(0), first_frame=now)


def commands_by_frame(block: Block) -> Iterator[tuple[int, list[RecordedCommand]]]:
    """What was executed in it, by the frames in which there was something."""
    for frame, entries in itertools.groupby(block.executed(), key=lambda entry: entry[0]):
        yield frame, [(*block.components[component], number, value) for _, component, number, value in entries]


def _bare(robot: RobotDescription, name: str) -> RobotDescription:
    """The robot without latency, and with sensors that rest."""
    return replace(robot, settings=replace(robot.settings, name=name, latency=Constant(0.0), sensors=""))
