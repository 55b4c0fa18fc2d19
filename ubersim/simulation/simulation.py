"""The world, its robots and time; no sockets. What the server, tests and learning environments all use.

from ubersim.simulation import Simulation

simulation = Simulation()
robot = simulation.spawn("robots/segway.xml")
robot.command("LMotor", "Vel", 2.0)
simulation.step(100)
print(simulation.time, robot.read("Tilt"), robot.bodies["MainBody"].position)
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ubersim.description import (
    Materials,
    RobotDescription,
    WorldDescription,
    default_materials,
    default_world,
    load_materials,
    load_robot,
    load_world,
    read_robot,
)
from ubersim.description.parse_context import RESERVED
from ubersim.description.robot import SpawnSettings
from ubersim.description.value_types import NAME_PATTERN
from ubersim.errors import ExplodedError, UberSimError
from ubersim.geometry import Pose, Triple
from ubersim.physics import Body
from ubersim.physics.build import WORLD, build_world
from ubersim.simulation.applied_force import AppliedForce
from ubersim.simulation.cameras import CameraService
from ubersim.simulation.object_ids import ObjectIds
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.simulation.spawning import Circle, place, radius
from ubersim.timing.latency import frame_at


class Simulation:
    """Frame k is the state at time k * step. It begins with sensing, and ends with commands and a step of physics."""

    def __init__(
        self,
        world: str | Path | WorldDescription | None = None,
        *,
        materials: str | Path | Materials | None = None,
        step: float | None = None,
        seed: int = 0,
        render_workers: int = 0,
    ) -> None:
        self.materials = _materials(materials)
        self.description = _world(world, self.materials)
        self.seed = seed
        self.world, self.objects = build_world(self.description, self.materials, step=step, seed=seed)
        self.step_size = self.world.step
        """Length of a frame [s]."""
        self.frame = 0
        self.robots: dict[str, Robot] = {}
        """By name, in order of joining."""
        self.legend = ObjectIds(self.description)
        """Names and numbers of all that can be seen."""
        self.eyes = CameraService(self, render_workers)
        """What takes the cameras' pictures."""
        self.observer: Observer | None = None
        """Who is told of what happens."""
        self.pushes: list[AppliedForce] = []
        """Forces that go on acting."""
        self._pushed = -1
        self._owners = itertools.count(WORLD + 1)
        self._rows = list(range(len(self.world.bodies)))

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.frame * self.step_size

    # Robots come and go

    def spawn(
        self,
        robot: str | Path | RobotDescription,
        *,
        name: str | None = None,
        position: tuple[float, float, float] | None = None,
        heading: float = 0.0,
    ) -> Robot:
        """Puts a robot into the current frame; `position` is that of its model's origin [m], `heading` is in radians.

        It is given as a file, as the XML document itself, or as read before.
        """
        description = _robot(robot, self.materials)
        if name is not None:
            _check_name(name)
            description = replace(description, settings=replace(description.settings, name=name))
        if position is not None:
            spawn = SpawnSettings(position=position, heading=heading)
            description = replace(description, settings=replace(description.settings, spawn=spawn))
        return self.add(description, place(description, self.description.spawn_points, self._taken()))

    def add(self, description: RobotDescription, pose: Pose) -> Robot:
        """Puts a robot into the current frame, its model space exactly there, whatever its document says."""
        if description.name in self.robots:
            raise UberSimError(f"a robot named {description.name!r} is in the world already")
        owner = next(self._owners)
        self.legend.enter(description.name, [body.name for body in description.bodies])
        try:
            robot = Robot(
                description,
                pose,
                owner=owner,
                materials=self.materials,
                surroundings=self,
                seed=self.seed,
                now=self.frame,
            )
        except BaseException:
            self.legend.leave(description.name)
            self.world.remove(owner)
            raise
        self.robots[robot.name] = robot
        self._population_changed()
        try:
            robot.sense(self.frame)
        except BaseException:
            self.remove(robot.name)
            raise
        if self.observer is not None:
            self.observer.joined(robot)
        return robot

    def remove(self, name: str) -> None:
        """Takes a robot out of the world."""
        if name not in self.robots:
            raise UberSimError(f"there is no robot {name!r}; there are {', '.join(self.robots) or 'none'}")
        robot = self.robots.pop(name)
        robot.close()
        self.legend.leave(name)
        self.world.remove(robot.owner)
        self._population_changed()
        if self.observer is not None:
            self.observer.left(robot)

    def names_of(self, owners: Iterable[int]) -> list[str]:
        """The robots behind owners' numbers."""
        wanted = set(owners)
        return [name for name, robot in self.robots.items() if robot.owner in wanted]

    def close(self) -> None:
        """Frees what outlives the object itself: render workers, OpenGL."""
        self.eyes.close()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Time

    def step(self, frames: int = 1) -> None:
        """Simulates frames. Readings of the new frame are there when it returns."""
        end = self.frame + frames
        for robot in self.robots.values():
            robot.commands.ack(end - 1, end - 1)  # a program in this process is never behind
        while self.frame < end:
            self.finish_frame(end)
            self.begin_frame()

    def begin_frame(self) -> None:
        """Samples the sensors that are due, and delivers the readings whose time has come."""
        frame, observer = self.frame, self.observer
        for robot in self.robots.values():
            if frame >= robot.next_frame:
                robot.sense(frame)
                if observer is not None and robot.readings:
                    observer.sensed(robot)
            elif robot.sensed < frame:
                robot.readings = ()
        if observer is not None and frame >= observer.wakes:
            observer.begun(frame)

    def finish_frame(self, end: int | None = None) -> None:
        """Executes the commands whose time has come, and steps; with `end`, on to the next event before it, at once."""
        frame = self.frame
        if self.pushes:
            self._push()
        for robot in self.robots.values():
            if frame >= robot.commands.next_frame:
                executed = robot.execute(frame)
                if self.observer is not None:
                    self.observer.executed(robot, executed)
            if robot.busy:
                robot.drive(frame)
        target = frame + 1 if end is None else self._next_event(end)
        try:
            self.world.run(target - frame)
        except ExplodedError as error:
            self.frame = self.world.frame
            if self.observer is not None:
                self.observer.exploded()
            raise self._named(error) from None
        self.frame = target

    def _next_event(self, end: int) -> int:
        """The next frame, up to `end`, before which nothing but physics happens."""
        if self.pushes or any(robot.busy for robot in self.robots.values()):
            return self.frame + 1
        events = [min(robot.next_frame, robot.commands.next_frame) for robot in self.robots.values()]
        if self.observer is not None:
            events.append(self.observer.wakes)
        return max(self.frame + 1, min([end, *events]))

    def _named(self, error: ExplodedError) -> ExplodedError:
        """Says whose bodies they are. Objects of the world that fly apart are put back to where they started."""
        names = self.names_of(error.owners)
        if WORLD in error.owners:
            self.reset_objects()
            names.append("an object of the world, which was put back")
        return ExplodedError(error.frame, error.owners, f"{', '.join(names)}: {error}")

    # Forces

    def body(self, name: str) -> Body:
        """`Robot/Body`, or an object of the world; a robot's name alone is its first body."""
        robot, _, part = name.partition("/")
        if not part and name in self.objects:
            return self.objects[name]
        if robot not in self.robots:
            raise UberSimError(f"there is no {name!r}; there are {', '.join([*self.robots, *self.objects]) or 'none'}")
        bodies = self.robots[robot].bodies
        if part and part not in bodies:
            raise UberSimError(f"{robot} has no body {part!r}; it has {', '.join(bodies)}")
        return bodies[part] if part else next(iter(bodies.values()))

    def push(self, body: str, force: Triple, seconds: float, point: Triple = (0.0, 0.0, 0.0)) -> None:
        """Pushes from this frame on [N, world axes], at a point from the centre of mass, in the body's own axes."""
        self.body(body)
        self.pushes.append(AppliedForce(body, force, point, self.frame + max(1, frame_at(seconds, self.step_size))))
        if self.observer is not None:
            self.observer.pushed(self.pushes[-1])

    def _push(self) -> None:
        """Once in a frame: the forces stay if its step has to be repeated."""
        self.pushes = [push for push in self.pushes if push.until > self.frame]
        if self._pushed == self.frame:
            return
        self._pushed = self.frame
        for push in self.pushes:
            with contextlib.suppress(UberSimError):  # whoever was pushed may have gone
                push.act(self.body(push.body))

    # State

    def reset(self) -> None:
        """Back to frame 0, as if all robots that are here had joined there, one after the other, where they spawned."""
        before, observer, self.observer = self.frame, self.observer, None
        robots = [(robot.description, robot.spawned_at) for robot in self.robots.values()]
        for name in list(self.robots):
            self.remove(name)
        self.frame = self.world.frame = 0
        self.pushes, self._pushed = [], -1
        self.reset_objects()
        try:
            for description, pose in robots:
                self.add(description, pose)
        finally:
            self.observer = observer
        if observer is not None:
            observer.restored(self.snapshot(), before)

    def reset_objects(self) -> None:
        """Puts the world's free objects back to where they started, at rest."""
        at_rest = np.zeros(3)
        for body in self.description.objects:
            center = body.mass_properties().center
            self.objects[body.name].set_state(center, (1.0, 0.0, 0.0, 0.0), at_rest, at_rest)
        if self.observer is not None:
            self.observer.objects_reset()

    def mark(self, label: str) -> None:
        """Gives this instant a name, for whoever observes; changes nothing."""
        if self.observer is not None:
            self.observer.marked(label)

    def snapshot(self) -> Snapshot:
        """The state of everything now."""
        robots = tuple(
            robot.state() | {"first_number": self.legend.first_of(name)} for name, robot in self.robots.items()
        )
        pushes = tuple(push.state() for push in self.pushes)
        return Snapshot(self.frame, self._fingerprint(), robots, self.world.snapshot(), pushes)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from a snapshot, of this simulation or of one made alike in another process.

        Where the robots are the same, in the same order, they stay the same objects; else all of them are made anew.
        """
        if snapshot.fingerprint != self._fingerprint():
            raise UberSimError("this snapshot was taken with another world, other materials, another step or seed")
        if [robot.identity() for robot in self.robots.values()] != [state["identity"] for state in snapshot.robots]:
            self._repopulate(snapshot)
        before = self.frame
        self.world.restore(snapshot.physics)
        self.frame = self.world.frame
        self.pushes, self._pushed = [AppliedForce.restored(state) for state in snapshot.pushes], -1
        for robot, state in zip(self.robots.values(), snapshot.robots, strict=True):
            robot.restore(state)
        self.legend.move({state["identity"]["name"]: state["first_number"] for state in snapshot.robots})
        self.eyes.blink()
        if self.observer is not None:
            self.observer.restored(snapshot, before)

    def digest(self) -> str:
        """A hash of every body's position, orientation and velocities, whatever the order in which robots joined."""
        return self.world.digest(self._rows)

    def _repopulate(self, snapshot: Snapshot) -> None:
        if self.observer is not None:
            self.observer.restoring()
        for name in list(self.robots):
            self.remove(name)
        for state in snapshot.robots:
            description = read_robot(state["identity"]["document"], materials=self.materials)
            description = replace(description, settings=replace(description.settings, name=state["identity"]["name"]))
            self.add(description, Pose(np.array(state["position"]), np.array(state["rotation"])))

    def _fingerprint(self) -> str:
        parts = (self.description, self.materials, self.step_size, self.seed)
        return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()

    def _population_changed(self) -> None:
        """Orders the digest by the robots' names, so that it does not depend on who came first; and eyes look anew."""
        self.eyes.blink()
        names = {robot.owner: name for name, robot in self.robots.items()}
        self._rows = sorted(range(len(self.world.bodies)), key=lambda row: names.get(self.world.bodies[row].owner, ""))

    def _taken(self) -> list[Circle]:
        """The ground that robots and objects cover now, roughly."""
        taken = []
        for about in self.description.objects:
            taken.append((self.objects[about.name].position, radius([about], about.mass_properties().center)))
        for robot in self.robots.values():
            first, *_ = robot.description.bodies
            reach = radius(robot.description.bodies, first.mass_properties().center)
            taken.append((robot.bodies[first.name].position, reach))
        return taken


def _materials(given: str | Path | Materials | None) -> Materials:
    if given is None:
        return default_materials()
    return given if isinstance(given, Materials) else load_materials(given)


def _world(given: str | Path | WorldDescription | None, materials: Materials) -> WorldDescription:
    if given is None:
        return default_world()
    return given if isinstance(given, WorldDescription) else load_world(given, materials=materials)


def _robot(given: str | Path | RobotDescription, materials: Materials) -> RobotDescription:
    if isinstance(given, RobotDescription):
        return given
    if isinstance(given, str) and given.lstrip().startswith("<"):
        return read_robot(given, materials=materials)
    return load_robot(given, materials=materials)


def _check_name(name: str) -> None:
    """The same as a document's."""
    if not re.fullmatch(NAME_PATTERN, name) or name in RESERVED:
        raise UberSimError(f"{name!r} is no robot's name: that has 1 to 64 of A-Z a-z 0-9 _ . - and is not reserved")
