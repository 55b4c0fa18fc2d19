"""The world, its robots and time; no sockets. What the server, tests and learning environments all use.

In a program:

    import ubersim

    simulation = ubersim.Simulation()
    robot = simulation.spawn("robots/segway.xml")
    robot.command("LMotor", "Vel", 2.0)
    simulation.step(100)
    print(simulation.time, robot.read("Tilt"), robot.bodies["MainBody"].position)
"""

from __future__ import annotations

from ubersim.errors import ExplodedError
from ubersim.physics.build import WORLD
from ubersim.simulation import snapshots
from ubersim.simulation.population import Population
from ubersim.simulation.snapshot import Snapshot


class Simulation(Population):
    """Frame k is the state at time k * step. It begins with sensing, and ends with commands and a step of physics."""

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.frame * self.step_size

    # Time

    def step(self, frames: int = 1) -> None:
        """Simulates frames. Readings of the new frame are there when it returns."""
        end = self.frame + frames
        for robot in self.robots.values():
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
        """Nothing more comes from outside before this frame is executed: observers see it as it is now."""
        for observer in self.observers:
            if self.frame >= observer.next_frame:
                observer.settled(self.frame)

    def finish_frame(self, end: int | None = None) -> None:
        """Applies forces, executes commands, drives motors, and steps; with `end`, on to the next event before it."""
        frame = self.frame
        if self.forces:
            self.forces.apply(frame, self.body)
        self._execute(frame)
        target = frame + 1 if end is None else self._next_event(end)
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
            if robot.busy:
                robot.drive(frame)

    def _next_event(self, end: int) -> int:
        """The next frame, up to `end`, before which nothing but physics happens."""
        if self.forces or any(robot.busy for robot in self.robots.values()):
            return self.frame + 1
        events = [min(robot.next_frame, robot.commands.next_frame) for robot in self.robots.values()]
        events += [observer.next_frame for observer in self.observers]
        return max(self.frame + 1, min([end, *events]))

    def _named(self, error: ExplodedError) -> ExplodedError:
        """Says whose bodies they are. Objects of the world that fly apart are put back to where they started."""
        names = self.names_of(error.owners)
        if WORLD in error.owners:
            self.reset_objects()
            names.append("an object of the world, which was put back")
        return ExplodedError(error.frame, error.owners, f"{', '.join(names)}: {error}")

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

    def mark(self, label: str) -> None:
        """Gives this instant a name, for observers; changes nothing."""
        for observer in self.observers:
            observer.marked(label)
