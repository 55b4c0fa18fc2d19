"""A log as something to look at: its scene, and pictures of the truth at any of its times."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ubersim.description import RobotDescription, read_robot, read_world
from ubersim.description.materials_file import read_materials
from ubersim.eyes import scene_of
from ubersim.pose import Pose
from ubersim.recording.happening import Happening
from ubersim.recording.log import Log
from ubersim.server.plain import plain
from ubersim.simulation import Simulation
from ubersim.truth import Truth


class Tape:
    """Everybody who was ever in the run has his place in the scene; who is not there at the moment is hidden."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.begin, self.end = log.first * log.step, log.last * log.step
        """First and last time [s]."""
        self.step = log.step
        """Length of a frame [s]."""
        with _populated(log) as simulation:
            rows = {body.row: ("", name) for name, body in simulation.objects.items()}
            for robot in simulation.robots.values():
                rows |= {body.row: (robot.name, name) for name, body in robot.bodies.items()}
            self._bodies = [rows[row] for row in sorted(rows)]
            self.scene: dict[str, Any] = plain(scene_of(simulation))
            """As a supervisor would get it from a server."""
            nothing: dict[str, Any] = {"sensors": {}, "joints": {}, "motors": {}}
            self.legend: dict[str, Any] = {
                "number": 1,
                "bodies": [f"{robot}/{body}" if robot else body for robot, body in self._bodies],
                "joints": [],
                "robots": dict.fromkeys(simulation.robots, nothing),
            }

    def at(self, time: float) -> tuple[Truth, frozenset[int]]:
        """How it was, and the rows of those who were not there."""
        instant = self._log.at(time)
        states = np.zeros((len(self._bodies), 13))
        states[:, 3] = 1.0
        absent = set()
        for row, name in enumerate(self._bodies):
            if name in instant.states:
                states[row] = instant.states[name]
            else:
                absent.add(row)
        position, turn, linear, angular = np.split(states, (3, 7, 10), axis=1)
        none = np.empty(0)
        truth = Truth(instant.time, instant.frame, False, self.legend, position, turn, linear, angular, none, none)
        return truth, frozenset(absent)


def _populated(log: Log) -> Simulation:
    """A simulation that is never stepped."""
    materials = read_materials(log.materials)
    simulation = Simulation(read_world(log.world, materials=materials), materials=materials, step=log.step)
    for item in log.items():
        if isinstance(item, Happening) and item.kind == "joined" and item.robot not in simulation.robots:
            robot = _blind(read_robot(item.document, materials=materials), item.robot)
            simulation.add(robot, Pose(np.array(item.position), np.array(item.rotation)))
    return simulation


def _blind(robot: RobotDescription, name: str) -> RobotDescription:
    """The robot without sensors: nobody reads them."""
    bodies = tuple(replace(body, primitives=body.solids) for body in robot.entity.rigid_bodies)
    settings = replace(robot.settings, name=name)
    return replace(robot, settings=settings, entity=replace(robot.entity, rigid_bodies=bodies))
