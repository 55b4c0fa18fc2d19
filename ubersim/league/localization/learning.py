"""Drives a robot over all poses of a field, with noise off, and keeps what its sensors tell: a `SensorMap`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import as_completed
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.perception import LandmarkNames, Perceptual
from ubersim.description import BodyDescription, RobotDescription, WorldDescription, read_robot, read_world
from ubersim.description.base import Solid
from ubersim.description.robot import Entity
from ubersim.errors import UberSimError
from ubersim.geometry import Array, Pose, quaternion_from_matrix, rotation_about
from ubersim.league.localization.field import free_nodes, landmarks_of
from ubersim.league.localization.grid import PoseGrid
from ubersim.league.localization.perceptual_model import PerceptualModel
from ubersim.league.localization.sensor_map import SensorMap, perceptual_sensors
from ubersim.simulation import Simulation
from ubersim.sweeps.executors import Workplace
from ubersim.sweeps.guard import guarded

SHARE = 2000
"""Poses that are learned in one go."""
LIMIT = 600.0
"""Real time that these may take [s]."""

Told = Callable[[int], None]
"""Is told how many more poses have been learned."""


@dataclass(frozen=True)
class Lesson:
    """What is learned; it travels to where that is done."""

    robot: str
    world: str
    grid: PoseGrid


def learn_map(
    robot: RobotDescription,
    world: WorldDescription,
    grid: PoseGrid,
    place: Workplace | None = None,
    told: Told = lambda count: None,
) -> SensorMap:
    """The map of a robot's sensors on a field: here, or at another place in parallel; the same bits either way."""
    landmarks = landmarks_of(world)
    sensors = dict(perceptual_sensors(robot, landmarks))
    if not sensors:
        raise UberSimError(
            f"{robot.name} has no sensor that tells where it is: range finders, LinePointSensor, cameras of "
            "the level `objects`"
        )
    lesson = Lesson(robot.source_text, world.source_text, grid)
    known = free_nodes(world, robot, grid)
    free = known.nonzero()[0]
    tables = {
        name: np.full((len(grid), len(sensor.features(landmarks))), np.nan, dtype=np.float32)
        for name, sensor in sensors.items()
    }
    shares = [free[start : start + SHARE] for start in range(0, len(free), SHARE)]
    for nodes, rows in _learned(lesson, shares, place):
        for name, values in rows.items():
            tables[name][nodes] = values
        told(len(nodes))
    return SensorMap(robot, grid, landmarks, known, tables)


def _learned(
    lesson: Lesson, shares: list[NDArray[np.int64]], place: Workplace | None
) -> Iterable[tuple[NDArray[np.int64], dict[str, NDArray[np.float32]]]]:
    if place is None:
        yield from ((nodes, learn_nodes(lesson, nodes)) for nodes in shares)
        return
    futures = {place.executor.submit(learn_elsewhere, lesson, nodes): nodes for nodes in shares}
    for future in as_completed(futures):
        yield futures[future], future.result()


def learn_elsewhere(lesson: Lesson, nodes: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
    """In a process of its own, as executors are given it."""
    found: dict[str, NDArray[np.float32]] = guarded(learn_nodes, lesson, nodes, limit=LIMIT)
    return found


def learn_nodes(lesson: Lesson, nodes: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
    """What each sensor tells at some nodes of the grid, (nodes, features)."""
    world = read_world(lesson.world)
    landmarks, poses = landmarks_of(world), lesson.grid.poses()[nodes]
    with Simulation(replace(world, objects=())) as simulation:
        learner = _Learner(simulation, read_robot(lesson.robot), landmarks, lesson.grid)
        for pose in poses:
            learner.visit(pose)
        return {name: model.table[nodes] for name, model in learner.models.items()}


class _Learner:
    """A robot that is put at one pose after the other, and whose sensors are without fault."""

    def __init__(
        self, simulation: Simulation, robot: RobotDescription, landmarks: LandmarkNames, grid: PoseGrid
    ) -> None:
        bodies = tuple(_flawless(body, landmarks) for body in robot.entity.rigid_bodies)
        bare = replace(robot, entity=Entity(rigid_bodies=bodies))
        self._height = -robot.lowest(np.eye(3))
        self._robot = simulation.add(bare, Pose(np.array([0.0, 0.0, self._height])))
        self._centers = [(self._robot.bodies[body.name], body.mass_properties().center) for body in bodies]
        self.models = {
            name: PerceptualModel(sensor, grid, landmarks) for name, sensor in perceptual_sensors(bare, landmarks)
        }

    def visit(self, pose: Array) -> None:
        """Goes to a pose and learns what is to be expected there."""
        x, y, heading = pose.tolist()
        frame = Pose(np.array([x, y, self._height]), rotation_about(2, heading))
        quaternion = quaternion_from_matrix(frame.rotation)
        for body, center in self._centers:
            body.set_state(frame.apply(center), quaternion)
        for name, model in self.models.items():
            channel = self._robot.sensors[name]
            reading = channel.reader.sample()
            assert isinstance(reading, bytes)  # nothing is drawn here
            model.set_data(channel.description.unpacked(reading))
            model.learn_probability(pose)


def _flawless(body: BodyDescription, landmarks: LandmarkNames) -> BodyDescription:
    """With those sensors alone that tell where it is, as they would be without errors."""
    solids: list[Solid] = list(body.solids)
    sensors = [part.flawless() for part in body.sensors if isinstance(part, Perceptual) and part.features(landmarks)]
    return replace(body, primitives=(*solids, *sensors))
