"""The world and all that is in it: robots that come and go, free objects, and the forces that act on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ubersim.components.sensors.surroundings import RefereeSource
from ubersim.description import RobotDescription
from ubersim.description.loading import read_latency
from ubersim.description.robot import SpawnSettings
from ubersim.errors import UberSimError
from ubersim.geometry import Array, Pose, Triple
from ubersim.physics import Body
from ubersim.physics.build import WORLD, build_world
from ubersim.protocol.suggestion import suggestion
from ubersim.simulation.actor import Actor
from ubersim.simulation.applied_force import AppliedForce, AppliedForces
from ubersim.simulation.budget import RobotBudget
from ubersim.simulation.cameras import CameraService
from ubersim.simulation.clearance import Clearance, Overlap, Placed, carried
from ubersim.simulation.inputs import (
    MaterialsInput,
    RobotInput,
    WorldInput,
    check_name,
    materials_from,
    robot_from,
    triple,
    world_from,
)
from ubersim.simulation.object_ids import ObjectIds
from ubersim.simulation.observer import Observer
from ubersim.simulation.radio import Radios
from ubersim.simulation.robot import Robot
from ubersim.simulation.spawning import Circle, place, radius
from ubersim.timing.latency import Constant, Latency, LatencyModel, frame_at


class Population:
    """Who and what is there in the current frame."""

    def __init__(
        self,
        world: WorldInput = None,
        *,
        materials: MaterialsInput = None,
        step: float | None = None,
        seed: int = 0,
        render_workers: int = 0,
        threads: int = 1,
    ) -> None:
        self.materials = materials_from(materials, seed)
        self.description = world_from(world, self.materials, seed)
        self.seed = seed
        self.world, self.objects = build_world(self.description, self.materials, step=step)
        self.world.use_threads(threads)
        self.step_size = self.world.step
        """Length of a frame [s]."""
        self.frame = 0
        self.robots: dict[str, Robot] = {}
        """By name, in order of joining."""
        self.observers: list[Observer] = []
        """Told of what happens, in this order."""
        self.actors: list[Actor] = []
        """What acts from within, in this order: a referee, players."""
        self.referee: RefereeSource | None = None
        """Who decides about a match, as robots hear of it."""
        self.radios = Radios()
        """What robots say to each other."""
        self.object_ids = ObjectIds(self.description)
        """Names and numbers of all that can be seen."""
        self.cameras = CameraService(self, render_workers)
        """What takes the cameras' pictures."""
        self.forces = AppliedForces()
        """Forces that go on acting."""
        self._budget: RobotBudget | None = None
        self._owners = itertools.count(WORLD + 1)
        self._footprints: dict[str, float] = {}
        self._object_footprints = {
            body.name: radius([body], body.mass_properties().center) for body in self.description.objects
        }
        self._rows: list[int] | None = None

    @property
    def budget(self) -> RobotBudget | None:
        """What each robot may cost; None: whatever it does."""
        return self._budget

    @budget.setter
    def budget(self, budget: RobotBudget | None) -> None:
        self._budget = budget
        self.world.limit_contacts(None if budget is None else budget.contacts)

    # Robots come and go

    def spawn(
        self,
        robot: RobotInput,
        *,
        name: str | None = None,
        position: Triple | None = None,
        heading: float = 0.0,
        latency: Latency | str | None = None,
        overlap: Overlap = "allow",
    ) -> Robot:
        """Puts a robot into the current frame; `position` is that of its model's origin [m], `heading` is in radians.

        It is given as a file, as the XML document itself, or as read before. The keywords replace what its document
        says; `latency` is a number of milliseconds, a model, or its element's text. `overlap` says what to do if it
        would be in something solid there: `refuse`, `lift` it until it is on top, or `allow` it, which costs nothing.
        """
        description = robot_from(robot, self.materials, self.seed, name)
        if name is not None:
            check_name(name)
            description = replace(description, settings=replace(description.settings, name=name))
        if position is not None:
            spawn = SpawnSettings(position=triple(position, "position"), heading=heading)
            description = replace(description, settings=replace(description.settings, spawn=spawn))
        if latency is not None:
            given = read_latency(latency) if isinstance(latency, str) else latency
            model = given if isinstance(given, LatencyModel) else Constant(float(given))
            description = replace(description, settings=replace(description.settings, latency=model))
        pose = place(description, self.description.spawn_points, self._taken)
        if overlap != "allow":
            lift = self.lift(description.name, [(body, pose) for body in description.bodies], overlap)
            pose = Pose(pose.position + lift, pose.rotation)
        return self.add(description, pose)

    def add(self, description: RobotDescription, pose: Pose) -> Robot:
        """Puts a robot into the current frame, its model space exactly there, whatever its document says."""
        if description.name in self.robots:
            raise UberSimError(f"a robot named {description.name!r} is in the world already")
        if self.budget is not None:
            self.budget.check(description)
            self.budget.check_beside(description, (robot.description for robot in self.robots.values()))
        owner = next(self._owners)
        self.object_ids.enter(description.name, [body.name for body in description.bodies])
        try:
            robot = Robot(
                description,
                pose,
                owner=owner,
                materials=self.materials,
                surroundings=self,
                seed=self.seed,
                now=self.frame,
                sight=math.inf if self.budget is None else self.budget.sight,
            )
        except BaseException:
            self.object_ids.leave(description.name)
            self.world.remove(owner)
            raise
        self.robots[robot.name] = robot
        first, *_ = description.bodies
        self._footprints[robot.name] = radius(description.bodies, first.mass_properties().center)
        self._changed()
        try:
            robot.sense(self.frame)
        except BaseException:
            self.remove(robot.name)
            raise
        for observer in self.observers:
            observer.joined(robot)
        return robot

    def heed_sensors(self, robot: Robot) -> None:
        """There is a client again for a robot that was left alone: it senses in this frame as one that joins."""
        try:
            robot.heed_sensors(self.frame)
        except BaseException:
            robot.ignore_sensors()
            raise
        for observer in self.observers:
            observer.sensed(robot)

    def remove(self, name: str) -> None:
        """Takes a robot out of the world."""
        if name not in self.robots:
            raise UberSimError(f"there is no robot {name!r}; there are {', '.join(self.robots) or 'none'}")
        robot = self.robots.pop(name)
        del self._footprints[name]
        robot.close()
        self.object_ids.leave(name)
        self.radios.close(name)
        self.world.remove(robot.owner)
        self._changed()
        for observer in self.observers:
            observer.left(robot)

    def names_of(self, owners: Iterable[int]) -> list[str]:
        """The robots behind owners' numbers."""
        wanted = set(owners)
        return [name for name, robot in self.robots.items() if robot.owner in wanted]

    # Objects and forces

    def placed(self, thing: str) -> list[Placed]:
        """The bodies of a robot or of an object of the world, where they are now."""
        if thing in self.objects:
            return [carried(body, self.objects[thing]) for body in self.description.objects if body.name == thing]
        robot = self.robots[thing]
        return [carried(body, robot.bodies[body.name]) for body in robot.description.bodies]

    def lift(self, thing: str, bodies: Sequence[Placed], overlap: Overlap) -> Array:
        """How far something has to go up from a place where it is not yet, lest it is in something solid [m]."""
        if overlap == "allow":
            return np.zeros(3)
        others = {name: self.placed(name) for name in (*self.objects, *self.robots) if name != thing}
        return Clearance(self.description, self.materials, others, bodies).lift(thing, overlap)

    def body(self, name: str) -> Body:
        """`Robot/Body`, or an object of the world; a robot's name alone is its first body."""
        robot, _, part = name.partition("/")
        if not part and name in self.objects:
            return self.objects[name]
        if robot not in self.robots:
            raise UberSimError(f"there is no {name!r}; there are {', '.join([*self.robots, *self.objects]) or 'none'}")
        bodies = self.robots[robot].bodies
        if part and part not in bodies:
            raise UberSimError(f"{robot} has no body {part!r}; {suggestion(part, bodies)}")
        return bodies[part] if part else next(iter(bodies.values()))

    def push(self, body: str, force: Triple, seconds: float, point: Triple = (0.0, 0.0, 0.0)) -> None:
        """Pushes from this frame on [N, world axes], at a point from the centre of mass, in the body's own axes."""
        self.body(body)
        force, point = triple(force, "force"), triple(point, "point")
        if not 0.0 <= seconds < math.inf:
            raise UberSimError(f"a push lasts 0 seconds or longer, not {seconds!r}")
        applied = AppliedForce(body, force, point, self.frame + max(1, frame_at(seconds, self.step_size)))
        self.forces.add(applied)
        for observer in self.observers:
            observer.pushed(applied)

    def reset_objects(self) -> None:
        """Puts the world's free objects back to where they started, at rest."""
        at_rest = np.zeros(3)
        for body in self.description.objects:
            center = body.mass_properties().center
            self.objects[body.name].set_state(center, (1.0, 0.0, 0.0, 0.0), at_rest, at_rest)
        for observer in self.observers:
            observer.objects_reset()

    def digest(self) -> str:
        """A hash of every body's position, orientation and velocities, whatever the order in which robots joined."""
        return self.world.digest(self.digest_order())

    def digest_order(self) -> list[int]:
        """The rows of all bodies, in the order in which the digest takes them."""
        if self._rows is None:
            bodies, names = self.world.bodies, {robot.owner: name for name, robot in self.robots.items()}
            self._rows = sorted(range(len(bodies)), key=lambda row: names.get(bodies[row].owner, ""))
        return self._rows

    def close(self) -> None:
        """Frees what outlives the object itself: render workers, OpenGL."""
        self.cameras.close()

    def _changed(self) -> None:
        """Bodies have come or gone."""
        self.cameras.scene_changed()
        self._rows = None

    def _taken(self) -> list[Circle]:
        """The ground that robots and objects cover now, roughly."""
        taken = [(self.objects[name].position, reach) for name, reach in self._object_footprints.items()]
        for name, robot in self.robots.items():
            first = next(iter(robot.bodies.values()))
            taken.append((first.position, self._footprints[name]))
        return taken
