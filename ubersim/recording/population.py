"""The robots of a log, in a simulation that is never stepped: for those who draw what was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ubersim.description import RobotDescription, read_robot, read_world
from ubersim.description.materials_file import read_materials
from ubersim.geometry import Pose
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.simulation import Simulation


def robots_of(log: Log) -> dict[str, RobotDescription]:
    """All robots that were ever there."""
    materials = read_materials(log.materials)
    return {item.robot: read_robot(item.document, materials=materials) for item in _joined(log)}


def populated(log: Log) -> Simulation:
    """The world with all robots that were ever there, without their sensors."""
    materials = read_materials(log.materials)
    simulation = Simulation(read_world(log.world, materials=materials), materials=materials, step=log.step)
    for item in _joined(log):
        robot = _without_sensors(read_robot(item.document, materials=materials), item.robot)
        simulation.add(robot, Pose(np.array(item.position), np.array(item.rotation)))
    return simulation


def _joined(log: Log) -> Iterator[RecordedEvent]:
    """When each robot joined for the first time."""
    known = set()
    for item in log.items():
        if isinstance(item, RecordedEvent) and item.kind == "joined" and item.robot not in known:
            known.add(item.robot)
            yield item


def _without_sensors(robot: RobotDescription, name: str) -> RobotDescription:
    """The robot without its sensors, which would cost time."""
    bodies = tuple(replace(body, primitives=body.solids) for body in robot.entity.rigid_bodies)
    settings = replace(robot.settings, name=name)
    return replace(robot, settings=settings, entity=replace(robot.entity, rigid_bodies=bodies))
