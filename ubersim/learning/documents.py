"""What an environment is made of: its documents, of which each seed may draw others, and a latency for the episode."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from numpy.random import Generator

from ubersim.description import (
    Materials,
    RobotDescription,
    document_in,
    drawn_materials,
    has_ranges,
    read_world,
)
from ubersim.description.base import SensorDescription
from ubersim.description.resources import by_name
from ubersim.files import read_text
from ubersim.importers.loading import robot_text
from ubersim.simulation import Simulation
from ubersim.simulation.inputs import MaterialsInput, RobotInput, WorldInput, materials_from, robot_from
from ubersim.simulation.robot import Robot
from ubersim.timing.latency import Constant, LatencyModel

Latency = float | tuple[float, float] | LatencyModel | None
"""Of commands [ms]: a number, a range from which each episode draws its own, or a model; None: the document's."""


class Documents:
    """Those of an environment with one robot. Where they want numbers drawn, each seed makes others of them."""

    def __init__(
        self, robot: RobotInput, world: WorldInput, materials: MaterialsInput, sensors: Collection[str]
    ) -> None:
        """Sensors that are not among these are left out: they change nothing, and pictures take time."""
        self._robot = _text(robot)
        self._world = document_in(world) if isinstance(world, str | Path) else world
        self._materials = materials
        self._sensors = sensors
        self.vary = any(isinstance(text, str) and has_ranges(text) for text in (self._robot, self._world))
        """Whether another seed makes something else of them."""
        if isinstance(materials, str | Path):
            text = read_text(materials)
            self.vary |= drawn_materials(text, 0) != text

    def build(self, seed: int, step: float | None) -> tuple[Simulation, Robot]:
        """A simulation with the robot in it."""
        materials, world = materials_from(self._materials, seed), self._world
        if isinstance(world, str):
            world = read_world(world, materials=materials, seed=seed)
        simulation = Simulation(world, materials=materials, step=step, seed=seed)
        return simulation, simulation.spawn(observed_robot(self._robot, self._sensors, materials, seed))


def observed_robot(
    robot: RobotInput, sensors: Collection[str], materials: Materials, seed: int = 0
) -> RobotDescription:
    """The robot with those of its sensors alone."""
    whole = robot_from(_text(robot), materials, seed)
    bodies = tuple(
        replace(
            body,
            primitives=tuple(
                part for part in body.primitives if not isinstance(part, SensorDescription) or part.name in sensors
            ),
        )
        for body in whole.entity.rigid_bodies
    )
    return replace(whole, entity=replace(whole.entity, rigid_bodies=bodies))


def latency_model(latency: Latency, rng: Generator) -> LatencyModel | None:
    """The latency of an episode; of a range, one that is drawn."""
    if isinstance(latency, tuple):
        low, high = latency
        return Constant(float(rng.uniform(low, high)))
    return Constant(float(latency)) if isinstance(latency, int | float) else latency


def _text(robot: RobotInput) -> str | RobotDescription:
    """The document of a robot that is given by its file, which may be one that comes along."""
    if isinstance(robot, RobotDescription) or (isinstance(robot, str) and robot.lstrip().startswith("<")):
        return robot
    path = by_name(robot, "robots")
    return robot_text(path, read_text(path))
