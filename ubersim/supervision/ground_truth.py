"""The truth about everything in a simulation, as one message, and the legend that says what its rows are."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from ubersim.components.sensors.channel import Channel
from ubersim.errors import UberSimError
from ubersim.physics import Body, Joint
from ubersim.protocol import FrameEnd, Timestamp
from ubersim.protocol.ground_truth import HEAD
from ubersim.protocol.messages import encode, message
from ubersim.server.supervisor_connection import Picture
from ubersim.simulation import Simulation

_CAPTURED = struct.Struct("<d")
_END = encode(FrameEnd())


class GroundTruthEncoder:
    """Looks at a simulation, and changes nothing."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._population: tuple[int, ...] | None = None
        self._legend_number = 0
        self._legend = b""
        self._axes: list[tuple[Joint, int]] = []

    def picture(
        self, *, standing: bool, sensors: tuple[str, ...] = (), contacts: bool = False, forces: str = ""
    ) -> Picture:
        """Everything now."""
        simulation = self._simulation
        population = (simulation.cameras.paintings, *(robot.owner for robot in simulation.robots.values()))
        if population != self._population:
            self._population = population
            self._write_legend()
        parts = [self._bodies(standing), *(self._reading(name) for name in sensors)]
        if contacts:
            parts.append(self._contacts())
        if forces:
            parts.append(self._forces(forces))
        opening = encode(Timestamp(simulation.time))
        return Picture(self._legend_number, self._legend, opening, b"".join([*parts, _END]))

    def channel(self, name: str) -> Channel:
        """The sensor `Robot/Sensor`."""
        robot, _, sensor = name.partition("/")
        found = self._simulation.robots.get(robot)
        if found is None or sensor not in found.sensors:
            raise UberSimError(f"there is no sensor {name!r}")
        return found.sensors[sensor]

    def _bodies(self, standing: bool) -> bytes:
        world = self._simulation.world
        head = HEAD.pack(self._simulation.frame, self._legend_number, len(world.bodies), len(self._axes), int(standing))
        values = np.array([joint.position(axis) if joint.measured else np.nan for joint, axis in self._axes])
        rates = np.array([joint.rate(axis) for joint, axis in self._axes])
        arrays = (
            world.positions,
            world.quaternions,
            world.linear_velocities,
            world.angular_velocities,
            values,
            rates,
        )
        return message("Truth", b"".join([head, *(array.tobytes() for array in arrays)]))

    def _reading(self, name: str) -> bytes:
        """The newest that was delivered; nothing before the first, and nothing once the robot has gone."""
        try:
            channel = self.channel(name)
        except UberSimError:
            return b""
        if channel.latest is None:
            return b""
        captured = _CAPTURED.pack(channel.latest_frame * self._simulation.step_size)
        return message(name, captured + channel.latest)

    def _contacts(self) -> bytes:
        contacts = self._simulation.world.contacts()
        arrays = contacts.positions, contacts.normals, contacts.depths
        return message("Contacts", b"".join(array.tobytes() for array in arrays))

    def bodies_of(self, thing: str) -> list[Body]:
        """Those of a robot, or an object of the world."""
        robot = self._simulation.robots.get(thing)
        if robot is not None:
            return list(robot.bodies.values())
        return [body for name, body in self._simulation.objects.items() if name == thing]

    def _forces(self, thing: str) -> bytes:
        rows = []
        for body in self.bodies_of(thing):
            body.feel()  # there is something to feel from the next step on; it changes no bit
            touches = body.touches()
            rows.append(np.hstack([touches.positions, touches.forces]))
        return message("Forces", np.vstack([np.empty((0, 6)), *rows]).tobytes())

    def _write_legend(self) -> None:
        simulation = self._simulation
        self._legend_number += 1
        names = {body.row: name for name, body in simulation.objects.items()}
        axes: list[list[Any]] = []
        self._axes = []
        for robot in simulation.robots.values():
            names |= {body.row: f"{robot.name}/{name}" for name, body in robot.bodies.items()}
            for name, joint in robot.joints.items():
                axes += [[f"{robot.name}/{name}", axis] for axis in range(joint.axes)]
                self._axes += [(joint, axis) for axis in range(joint.axes)]
        legend = {
            "number": self._legend_number,
            "bodies": [names[row] for row in sorted(names)],
            "joints": axes,
            "robots": {name: robot.introduction() for name, robot in simulation.robots.items()},
        }
        self._legend = message("Legend", json.dumps(legend).encode())
