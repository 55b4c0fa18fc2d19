"""Perceptual models against closed forms: what is expected where, and how probable a reading is there."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.league.localization.stage import LANDMARKS, grid, learned, robot, seen_at, world
from ubersim.description import read_robot
from ubersim.errors import UberSimError
from ubersim.league.localization import PerceptualModel, PoseGrid, SensorMap, Tolerance, learn_map
from ubersim.league.localization.field import field_of, free_nodes
from ubersim.league.localization.perceptual_model import UNKNOWN
from ubersim.league.localization.sensor_map import perceptual_sensors
from ubersim.sweeps.executors import workplace

POST = {"East": (2.5, 0.0), "North": (0.0, 3.5)}
TAIL = "</Body></RigidBodies></Entity></Client>"
CAMERA = 0.45
"""Its height [m]: that of the robot's middle, and what it is above that."""


def expectation(sensor: str, pose: tuple[float, float, float]) -> dict[str, float]:
    model = learned().models[sensor]
    values = model.expectation(np.array([pose]))[0]
    return {feature.name: float(value) for feature, value in zip(model.features, values, strict=True)}


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (1.0, -2.0, math.pi / 3), (-1.5, 2.5, -math.pi / 2)])
def test_landmarks_are_where_geometry_has_them(pose: tuple[float, float, float]) -> None:
    x, y, heading = pose
    found = expectation("Cam", pose)
    for name, (east, north) in POST.items():
        level = math.hypot(east - x, north - y)
        assert found[f"{name} distance"] == pytest.approx(math.hypot(level, CAMERA - 0.5), abs=0.02)
        angle = math.atan2(-(east - x), north - y) - heading
        assert math.cos(found[f"{name} angle"] - angle) == pytest.approx(1.0, abs=1e-6)


def test_beams_are_where_geometry_has_them() -> None:
    laser, lines = expectation("Laser", (0.0, 0.0, 0.0)), expectation("Lines", (0.0, -1.0, 0.0))
    assert laser["distance at 0°"] == pytest.approx(3.4, abs=1e-5)  # the near face of the post
    assert laser["distance at -90°"] == pytest.approx(2.4, abs=1e-5)
    assert laser["distance at 90°"] == 6.0  # nothing is there: its range; the ball does not count
    assert lines["distance at 0°"] == pytest.approx(1 - 0.025, abs=1e-5)
    assert lines["distance at -180°"] == pytest.approx(2 - 0.05, abs=1e-5)


def test_between_the_nodes_it_is_linear_but_for_jumps() -> None:
    inner = expectation("Lines", (0.2, -1.3, 0.0))
    assert inner["distance at 0°"] == pytest.approx(1.3 - 0.025, abs=1e-5)
    assert inner["distance at 90°"] == pytest.approx(2.2 - 0.05, abs=1e-5)
    beside = expectation("Laser", (0.3, 0.0, 0.0))["distance at 0°"]  # it passes the post; one node is in front of it
    assert beside == 6.0


def test_a_gaussian_about_the_expectation() -> None:
    """Of one distance alone: floor + (1 - floor) exp(-z²/2), with the errors of sensor and table together."""
    tolerance = Tolerance(distance=0.1, surprise=0.02)
    sensor = dict(perceptual_sensors(robot(), LANDMARKS))["Laser"]
    model = PerceptualModel(sensor, PoseGrid.over((0, 0, 1, 1), 1.0, 4), LANDMARKS, tolerance=tolerance)
    model.set_data(np.full(36, 2.0))
    model.learn_probability(np.zeros(3))
    for error in (0.0, 0.05, 0.3):
        model.set_data(np.full(36, 2.0 + error))
        one = 0.02 + 0.98 * math.exp(-0.5 * error**2 / (0.1**2 + 0.02**2))
        assert model.probability(np.zeros((1, 3)))[0] == pytest.approx(one**tolerance.independent, rel=1e-4)
    assert model.probability(np.array([[1.0, 1.0, 0.0], [9.0, 0.0, 0.0]])).tolist() == [UNKNOWN, UNKNOWN]


def test_sensors_count_as_independent() -> None:
    field, poses = learned(), np.array([[0.5, -1.0, 0.0], [1.0, 1.0, -2.0]])
    readings = seen_at((0.5, -1.0, 0.0))
    alone = [field.probability(poses, {name: reading}) for name, reading in readings.items()]
    together = field.probability(poses, readings)
    assert together == pytest.approx(alone[0] * alone[1] * alone[2])
    assert together[0] > 1e6 * together[1] > 0.0


def test_a_sensor_that_is_not_in_the_map_says_nothing() -> None:
    assert learned().probability(np.zeros((1, 3)), {"Gyro": np.zeros(3), "Laser": None}).tolist() == [1.0]
    with pytest.raises(UberSimError, match="has no reading yet"):
        PerceptualModel(learned().models["Lines"].sensor, grid(), LANDMARKS).probability(np.zeros((1, 3)))


def test_learning_elsewhere_gives_the_same_bits(tmp_path: Path) -> None:
    small = PoseGrid.over((-0.5, -0.5, 0.5, 0.5), 0.5, 4)
    here = learn_map(robot(), world(), small)
    counts: list[int] = []
    with workplace("local=1") as place:
        there = learn_map(robot(), world(), small, place, counts.append)
    assert sum(counts) == len(small)
    there.save(tmp_path / "map.npz")
    loaded = SensorMap.load(tmp_path / "map.npz")
    for name, model in here.models.items():
        assert model.table.tobytes() == there.models[name].table.tobytes() == loaded.models[name].table.tobytes()
    assert loaded.grid == small and loaded.landmarks == LANDMARKS and loaded.robot == here.robot


def test_a_robot_is_in_no_solid() -> None:
    around = PoseGrid.over((2.0, -0.5, 3.0, 0.5), 0.5, 4)
    known = free_nodes(world(), robot(), around).reshape(around.shape)[:, :, 0]
    assert known.tolist() == [[True, True, True], [True, False, True], [True, True, True]]


def test_the_field_is_its_lines_and_a_margin() -> None:
    assert field_of(world()) == pytest.approx((-2.5, -3.475, 2.5, 3.475), abs=0.03)
    assert field_of(replace(world(), markings=())) == pytest.approx((-0.1, -0.1, 2.6, 3.6))
    with pytest.raises(UberSimError, match="--area"):
        field_of(replace(world(), markings=(), static=()))


def test_what_cannot_be_learned_is_said() -> None:
    blind = read_robot(robot().source_text.replace("LinePointSensor", "X").split("<LidarSensor")[0] + TAIL)
    with pytest.raises(UberSimError, match="no sensor that tells where it is"):
        learn_map(blind, world(), grid())
    with pytest.raises(UberSimError, match="too many"):
        PoseGrid.over((-1000, -1000, 1000, 1000), 0.1, 36)
    with pytest.raises(UberSimError, match="smaller ones first"):
        PoseGrid.over((1, 1, 0, 2), 0.1, 36)


def test_what_is_no_map_is_said(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    for content in (b"", b"PK\x03\x04 not really", b"\x93NUMPY\x01\x00"):
        path.write_bytes(content)
        with pytest.raises(UberSimError, match="is no sensor map"):
            SensorMap.load(path)
    with pytest.raises(UberSimError, match="is no sensor map"):
        SensorMap.load(tmp_path / "absent.npz")


def test_a_map_of_another_format_or_shape_is_none(tmp_path: Path) -> None:
    path = tmp_path / "map.npz"
    learned().save(path)
    with np.load(path) as saved:
        parts = dict(saved)
    about = json.loads(str(parts["about"]))
    np.savez(path, **{**parts, "about": json.dumps({**about, "format": "other"})})
    with pytest.raises(UberSimError, match="its format is 'other'"):
        SensorMap.load(path)
    cut = {name: table[:-1] if name.startswith("table") else table for name, table in parts.items()}
    np.savez(path, **cut)
    with pytest.raises(UberSimError, match="the table of a sensor has the shape"):
        SensorMap.load(path)
