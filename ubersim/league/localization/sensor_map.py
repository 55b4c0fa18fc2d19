"""What all sensors of a robot tell at all poses of a field: made by `ubersim learn-map`, kept in one file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.perception import LandmarkNames, Perceptual
from ubersim.description import RobotDescription, read_robot
from ubersim.errors import UberSimError
from ubersim.files import open_file
from ubersim.geometry import Array
from ubersim.league.localization.grid import Cells, PoseGrid
from ubersim.league.localization.perceptual_model import UNKNOWN, PerceptualModel, Tolerance

FORMAT = "ubersim sensor map 1"
Observation = dict[str, NDArray[np.int64] | None]
"""Sensors that have a reading, and the features of it that are looked at; None: all of them."""


class SensorMap:
    """The perceptual models of a robot's sensors; they count as independent, so that their probabilities multiply."""

    def __init__(
        self,
        robot: RobotDescription,
        grid: PoseGrid,
        landmarks: LandmarkNames,
        known: NDArray[np.bool_],
        tables: Mapping[str, NDArray[np.float32]],
        *,
        tolerance: Tolerance | None = None,
    ) -> None:
        self.robot, self.grid, self.landmarks = robot, grid, dict(landmarks)
        self.models = {
            name: PerceptualModel(sensor, grid, landmarks, (tables[name], known), tolerance)
            for name, sensor in perceptual_sensors(robot, landmarks)
            if name in tables
        }
        """By the sensor's name."""

    def probability(self, poses: Array, readings: Mapping[str, Any]) -> Array:
        """Of all readings together at each pose, (N, 3): from 0 to 1; `UNKNOWN` where the map knows nothing."""
        logarithms = self.log_probability(self.grid.cells(np.asarray(poses, dtype=float)), self.observe(readings))
        return np.where(np.isnan(logarithms), UNKNOWN, np.exp(logarithms))

    def observe(
        self, readings: Mapping[str, Any], most: int | None = None, rng: np.random.Generator | None = None
    ) -> Observation:
        """Sets the sensors' data; returns what is to be looked at: all, or `most` features of each, drawn at random."""
        found: Observation = {}
        for name, reading in readings.items():
            if (model := self.models.get(name)) is not None and reading is not None:
                model.set_data(reading)
                found[name] = None if most is None or rng is None else model.informative(most, rng)
        return found

    def log_probability(self, cells: Cells, observation: Observation) -> Array:
        """The logarithm of the probability of what was observed, not a number where the map knows nothing."""
        total = np.zeros(len(cells.inside))
        for name, used in observation.items():
            total += self.models[name].log_probability(cells, used)
        return total

    def free_poses(self) -> Array:
        """The nodes of the grid where a robot can be, (N, 3)."""
        known = next(iter(self.models.values())).known
        return self.grid.poses()[known]

    def save(self, path: Path) -> None:
        """Writes it, compressed."""
        about = {
            "format": FORMAT,
            "grid": asdict(self.grid),
            "landmarks": {str(number): name for number, name in self.landmarks.items()},
            "robot": self.robot.source_text,
        }
        known = next(iter(self.models.values())).known
        tables = {f"table {name}": model.table for name, model in self.models.items()}
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, about=np.array(json.dumps(about)), known=known, **tables)

    @staticmethod
    def load(path: str | Path, *, tolerance: Tolerance | None = None) -> SensorMap:
        """Reads what `save` wrote."""
        try:
            with open_file(Path(path)) as file, np.load(file, allow_pickle=False) as data:
                about = json.loads(str(data["about"]))
                tables = {name.removeprefix("table "): data[name] for name in data.files if name.startswith("table ")}
                known = data["known"]
            if about["format"] != FORMAT:
                raise ValueError(f"its format is {about['format']!r:.60}")
            landmarks = {int(number): str(name) for number, name in about["landmarks"].items()}
            robot = read_robot(about["robot"], source=str(path))
            return SensorMap(robot, PoseGrid(**about["grid"]), landmarks, known, tables, tolerance=tolerance)
        except (OSError, EOFError, AttributeError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise UberSimError(f"{path} is no sensor map of `ubersim learn-map`: {error}") from None


def perceptual_sensors(robot: RobotDescription, landmarks: LandmarkNames) -> Iterator[tuple[str, Perceptual]]:
    """The sensors that tell where a robot is, with their names."""
    for body in robot.bodies:
        for sensor in body.sensors:
            if isinstance(sensor, Perceptual) and sensor.features(landmarks):
                yield sensor.name, sensor
