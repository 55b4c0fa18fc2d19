"""The world, its robots and time; no sockets. What the server, tests and learning environments all use.

In a program:

    import ubersim

    simulation = ubersim.Simulation()
    robot = simulation.spawn("robots/segway.xml")
    robot.set("LMotor", "Vel", 2.0)
    simulation.step(100)
    print(simulation.time, robot.read("Tilt"), robot.bodies["MainBody"].position)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index

from ubersim.errors import ExplodedError, UberSimError
from ubersim.physics.build import WORLD
from ubersim.simulation import snapshots
from ubersim.simulation.observer import Observer
from ubersim.simulation.population import Population
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.simulation.still import Still, still_of
from ubersim.timing.latency import LatencyModel


class Simulation(Population):
    """Frame k is the state at time k * step. It begins with sensing, and ends with commands and a step of physics."""

    _objects_reset_in = -1
    """The frame in which the world's objects were put back last, because its step failed."""

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.frame * self.step_size

    def show(self, *, width: int = 640, height: int = 480, azimuth: float = 33.0, elevation: float = 20.0) -> Still:
        """A picture of everything now, which notebooks show by themselves; it needs the extra `camera`.

        `azimuth` is where to look from, from ahead to the right, `elevation` how far to look down [degrees].
        """
        return still_of(self, width=width, height=height, azimuth=azimuth, elevation=elevation)

    # Time

    def step(self, frames: int = 1) -> None:
        """Simulates frames. Readings of the new frame are there when it returns."""
        if index(frames) < 0:
            raise UberSimError(f"a step takes 0 frames or more, not {frames}; `restore` goes back to a snapshot")
        end = self.frame + index(frames)
        for robot in self.robots.values():
            if not robot.commanded_here:  # whose program does so itself
                robot.commands.ack(end - 1, end - 1)  # a program in this process is never behind
        while self.frame < end:
            self.settle_frame()
            self.finish_frame(end)
            self.begin_frame()

    def begin_frame(self) -> None:
        """Samples the sensors that are due, and delivers the readings whose time has come."""
        frame, observers = self.frame, self.observers
        for robot in self.robots.values():
            if frame >= robot.next_frame:
                robot.sense(frame)
                if robot.readings:
                    for observer in observers:
                        observer.sensed(robot)
            elif robot.sensed < frame:
                robot.readings = ()
        for observer in observers:
            if frame >= observer.next_frame:
                observer.begun(frame)

    def settle_frame(self) -> None:
        """Nothing more comes from outside before this frame is executed: actors act, observers see it as it is then."""
        for actor in self.actors:
            if self.frame >= actor.next_frame:
                actor.act(self.frame)
        for observer in self.observers:
            if self.frame >= observer.next_frame:
                observer.settled(self.frame)

    def finish_frame(self, end: int | None = None) -> None:
        """Applies forces, executes commands, drives motors, and steps; with `end`, on to the next event before it."""
        frame = self.frame
        if self.forces:
            self.forces.apply(frame, self.body)
        self._execute(frame)
        target = frame + 1 if end is None else max(frame + 1, self.next_event(end))
        try:
            self.world.run(target - frame)
        except ExplodedError as error:
            self.frame = self.world.frame
            for observer in self.observers:
                observer.exploded()
            raise self._named(error) from None
        self.frame = target

    def _execute(self, frame: int) -> None:
        """Commands whose time has come, then the motors that have work to do."""
        for robot in self.robots.values():
            if frame >= robot.commands.next_frame:
                executed = robot.execute(frame)
                for observer in self.observers:
                    observer.executed(robot, executed)
                for latency in robot.commands.changed:
                    self._latency_changed(robot, "", latency)
            while robot.changed_sensors:
                sensor = robot.changed_sensors.pop(0)
                self._latency_changed(robot, sensor, robot.sensors[sensor].latency)
            if robot.busy:
                robot.drive(frame)

    def _latency_changed(self, robot: Robot, sensor: str, latency: LatencyModel) -> None:
        """Tells observers of another latency of a robot's commands, or of a sensor's readings."""
        for observer in self.observers:
            observer.latency_changed(robot, sensor, latency)

    def next_event(self, end: int, apart_from: Sequence[Observer] = ()) -> int:
        """The frame, up to `end`, before which nothing but physics happens, these observers aside."""
        if self.forces or any(robot.busy for robot in self.robots.values()):
            return self.frame
        events = [min(robot.next_frame, robot.commands.next_frame) for robot in self.robots.values()]
        events += [observer.next_frame for observer in self.observers if observer not in apart_from]
        events += [actor.next_frame for actor in self.actors]
        return min([end, *events])

    def _named(self, error: ExplodedError) -> ExplodedError:
        """Says whose bodies they are. Objects of the world that fly apart are put back to where they started."""
        owners, names = error.owners, self.names_of(error.owners)
        if WORLD in owners and self._objects_reset_in != self.frame:
            self._objects_reset_in = self.frame
            self.reset_objects()
            names.append("an object of the world, which was put back")
        elif WORLD in owners and self.robots:  # that did not help: the last to come is the likeliest cause
            *_, last = self.robots.values()
            owners, names = (last.owner,), [last.name]
        return ExplodedError(error.frame, owners, f"{', '.join(names)}: {error}")

    # State

    def snapshot(self) -> Snapshot:
        """The state of everything now."""
        return snapshots.take(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from a snapshot, of this simulation or of one made alike in another process.

        Where the robots are the same, in the same order, they stay the same objects; else all of them are made anew.
        """
        snapshots.restore(self, snapshot)

    def reset(self) -> None:
        """Back to frame 0, as if all robots that are here had joined there, one after the other, where they spawned."""
        snapshots.reset(self)

    def start_over(
        self, snapshot: Snapshot, seed: int, latencies: Mapping[str, LatencyModel | None] | None = None
    ) -> None:
        """Another run from where a snapshot of these robots was taken: bodies and joints as they were then.

        All else is as if they had joined there, with this seed for noise and random latencies, and for some perhaps
        another latency. Then `begin_frame` lets them sense.
        """
        snapshots.start_over(self, snapshot, seed, latencies or {})

    def mark(self, label: str) -> None:
        """Gives this instant a name, for observers; changes nothing."""
        for observer in self.observers:
            observer.marked(label)
