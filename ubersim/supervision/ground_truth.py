"""The truth about everything in a simulation, as pictures for supervisors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.components.sensors.channel import Channel
from ubersim.errors import UberSimError
from ubersim.geometry import Array, turned
from ubersim.physics import Body, Joint
from ubersim.protocol.picture import EncodedLegend, EncodedPicture
from ubersim.protocol.supervisor_events import (
    CapturedReading,
    ComponentCommands,
    ContactForces,
    ContactPoints,
    Legend,
    PictureEvent,
    Pushes,
    Truth,
)
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import Robot
from ubersim.supervision.command_history import CommandHistory

MOST_SENSORS = 1000
"""In one picture."""
LARGEST_PICTURE = 128 * 2**20
"""What these may read, all in all [bytes]."""


@dataclass(frozen=True)
class PictureContent:
    """What a picture shows beside the state of all bodies and joints."""

    sensors: tuple[str, ...] = ()
    """`Robot/Sensor`: whose newest readings."""
    contacts: bool = False
    """Whether the contacts of the last step."""
    forces: str = ""
    """A robot or an object of the world: the forces of the contacts of its bodies."""
    pushes: bool = False
    """Whether the forces that supervisors let act."""
    commands: tuple[str, ...] = ()
    """`Robot/Component`: whose commands, executed of late or under way."""


class GroundTruthSource:
    """Looks at a simulation, and changes nothing."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._population: tuple[int, ...] | None = None
        self._legend = EncodedLegend(0, b"")
        self._axes: list[tuple[Joint, int]] = []
        self._history = CommandHistory(simulation)

    def picture(self, content: PictureContent, *, standing: bool) -> EncodedPicture:
        """Everything now; sensors and robots that have gone are left out."""
        cameras, robots = self._simulation.cameras, self._simulation.robots
        population = (cameras.paintings, *(robot.owner for robot in robots.values()))
        if population != self._population:
            self._population = population
            self._number_rows()
        return EncodedPicture.of(self._simulation.time, self._legend, self._events(content, standing))

    def check(self, content: PictureContent) -> None:
        """Refuses what there is not."""
        size = sum(self.largest_reading(name) for name in dict.fromkeys(content.sensors))
        if size > LARGEST_PICTURE:
            raise UberSimError(f"these sensors read up to {size} bytes; a picture has at most {LARGEST_PICTURE}")
        if content.forces and not self._bodies_of(content.forces):
            raise UberSimError(f"there is no robot or object {content.forces!r} whose forces could be shown")

    def largest_reading(self, name: str) -> int:
        """Of a sensor, `Robot/Sensor` [bytes]; refuses what is none."""
        return self._channel(name).description.largest_reading

    def reading(self, name: str) -> CapturedReading | None:
        """The newest that was delivered; None before the first, and once the robot has gone."""
        try:
            channel = self._channel(name)
        except UberSimError:
            return None
        if channel.latest is None:
            return None
        return CapturedReading(name, channel.latest_frame * self._simulation.step_size, channel.latest)

    def introduction(self, robot: Robot) -> dict[str, Any]:
        """What a robot's client was told about it."""
        return introduction_of(robot)

    def _events(self, content: PictureContent, standing: bool) -> Iterator[PictureEvent]:
        yield self._truth(standing)
        for name in dict.fromkeys(content.sensors):
            if (reading := self.reading(name)) is not None:
                yield reading
        if content.contacts:
            contacts = self._simulation.world.contacts()
            yield ContactPoints(contacts.positions, contacts.normals, contacts.depths)
        if content.forces:
            yield self._forces(content.forces)
        if content.pushes:
            yield Pushes(self._pushes())
        self._history.watch(content.commands)
        for name in dict.fromkeys(content.commands):
            yield ComponentCommands(name, self._history.rows(name))

    def _truth(self, standing: bool) -> Truth:
        world, axes = self._simulation.world, self._axes
        return Truth(
            frame=self._simulation.frame,
            legend=self._legend.number,
            standing=standing,
            positions=world.positions,
            quaternions=world.quaternions,
            linear=world.linear_velocities,
            angular=world.angular_velocities,
            joint_positions=np.array([joint.position(axis) if joint.measured else np.nan for joint, axis in axes]),
            joint_rates=np.array([joint.rate(axis) for joint, axis in axes]),
        )

    def _channel(self, name: str) -> Channel:
        robot, _, sensor = name.partition("/")
        found = self._simulation.robots.get(robot)
        if found is None or sensor not in found.sensors:
            raise UberSimError(f"there is no sensor {name!r}")
        return found.sensors[sensor]

    def _bodies_of(self, thing: str) -> list[Body]:
        """Those of a robot, or an object of the world."""
        robot = self._simulation.robots.get(thing)
        if robot is not None:
            return list(robot.bodies.values())
        return [body for name, body in self._simulation.objects.items() if name == thing]

    def _forces(self, thing: str) -> ContactForces:
        rows = []
        for body in self._bodies_of(thing):
            body.feel()  # there is something to feel from the next step on; it changes no bit
            touches = body.touches()
            rows.append(np.hstack([touches.positions, touches.forces]))
        return ContactForces(np.vstack([np.empty((0, 6)), *rows]))

    def _pushes(self) -> Array:
        rows = [np.empty((0, 6))]
        for force in self._simulation.forces.acting(self._simulation.frame):
            with contextlib.suppress(UberSimError):  # the robot may have left
                body = self._simulation.body(force.body)
                rows.append(np.hstack([body.position + turned(body.rotation, force.point), force.force])[None])
        return np.vstack(rows)

    def _number_rows(self) -> None:
        simulation = self._simulation
        names = {body.row: name for name, body in simulation.objects.items()}
        joints: list[tuple[str, int]] = []
        self._axes = []
        for robot in simulation.robots.values():
            names |= {body.row: f"{robot.name}/{name}" for name, body in robot.bodies.items()}
            for name, joint in robot.joints.items():
                joints += [(f"{robot.name}/{name}", axis) for axis in range(joint.axes)]
                self._axes += [(joint, axis) for axis in range(joint.axes)]
        robots = {name: self.introduction(robot) for name, robot in simulation.robots.items()}
        bodies = tuple(names[row] for row in sorted(names))
        self._legend = EncodedLegend.of(Legend(self._legend.number + 1, bodies, tuple(joints), robots))
