"""High-level sensors: the pose as a localization tells it, obstacles instead of distances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.sensor_stage import box, sensor, simulation, spawned, sphere
from ubersim.components.sensors.perception import Perceptual


def static(*solids: str) -> str:
    return f"<Static>{''.join(solids)}</Static>"


def test_the_pose_is_that_of_the_sensor_in_the_world() -> None:
    with simulation(gravity=0.0) as here:
        eye = sensor("LocalizationSensor", "Where", at=(0.0, 0.5, 0.0), z=90.0)
        robot = spawned(here, sphere("Ball") + eye, at=(1.0, 2.0, 0.0), heading=math.radians(80.0))
        here.step()
        turn = math.radians(80.0)
        place = [1.0 - 0.5 * math.sin(turn), 2.0 + 0.5 * math.cos(turn), math.radians(170.0)]
        assert robot.read("Where") == pytest.approx(place, abs=1e-6)
        assert robot.read("Where.heading") == pytest.approx(math.radians(170.0))


def errors(inside: str, seed: int = 0, readings: int = 2000) -> NDArray[np.float64]:
    with simulation(gravity=0.0, seed=seed) as here:
        robot = spawned(here, sphere("Ball") + sensor("LocalizationSensor", "Where", inside))
        found = []
        for _ in range(readings):
            here.step()
            found.append(robot.read("Where"))
        return np.array(found)


def test_errors_are_as_set() -> None:
    found = errors("<Noise>0.2</Noise><HeadingError>5</HeadingError>")
    assert found.std(axis=0) == pytest.approx([0.2, 0.2, math.radians(5)], rel=0.07)
    assert abs(np.corrcoef(found[:-1, 0], found[1:, 0])[0, 1]) < 0.07
    assert (found == errors("<Noise>0.2</Noise><HeadingError>5</HeadingError>")).all()


def test_errors_wander_with_a_correlation() -> None:
    found = errors("<Noise>0.2</Noise><Correlation>0.02</Correlation>", readings=4000)
    assert found[:, 0].std() == pytest.approx(0.2, rel=0.15)
    for lag in (5, 20):
        expected = math.exp(-lag * 0.001 / 0.02)
        assert np.corrcoef(found[:-lag, 0], found[lag:, 0])[0, 1] == pytest.approx(expected, abs=0.08)


def test_the_error_is_in_snapshots() -> None:
    with simulation(gravity=0.0) as here:
        inside = "<Noise>0.2</Noise><Correlation>1</Correlation>"
        robot = spawned(here, sphere("Ball") + sensor("LocalizationSensor", "Where", inside))
        here.step(5)
        snapshot = here.snapshot()
        here.step(5)
        then = robot.read("Where")
        here.restore(snapshot)
        here.step(5)
        assert np.array_equal(np.asarray(robot.read("Where")), np.asarray(then))


def obstacles(world: str, inside: str) -> NDArray[np.float64]:
    with simulation(gravity=0.0, inside=world) as here:
        robot = spawned(here, sphere("Ball") + sensor("ObstacleSensor", "Scan", inside))
        here.step()
        return np.asarray(robot.read("Scan"))


def test_each_thing_is_one_row() -> None:
    boxes = [
        box("A", (0.4, 0.4, 1.0), (0.0, 2.2, 0.0), mass=None),
        box("B", (0.4, 0.4, 1.0), (2.2, 0.0, 0.0), mass=None),
    ]
    found = obstacles(static(*boxes), "<Range>5</Range>")
    assert found.shape == (2, 3)
    half = math.degrees(math.atan2(0.2, 2.0))
    assert found[0] == pytest.approx([math.radians(-90 + half / 2), 2.0, math.radians(half)], abs=0.02)
    assert found[1] == pytest.approx([0.0, 2.0, math.radians(2 * half)], abs=0.02)


def test_what_is_farther_behind_is_something_else() -> None:
    behind = [
        box("Near", (0.2, 0.2, 1.0), (0.0, 1.0, 0.0), mass=None),
        box("Wall", (4.0, 0.2, 1.0), (0.0, 3.0, 0.0), mass=None),
    ]
    found = obstacles(static(*behind), "<Range>5</Range><Gap>0.5</Gap>")
    assert len(found) == 3 and found[1][1] == pytest.approx(0.9, abs=0.01)
    assert found[0][1] == found[2][1] == pytest.approx(2.92, abs=0.03)


def test_all_around_the_ends_meet() -> None:
    found = obstacles(
        static(box("Back", (1.0, 0.4, 1.0), (0.0, -2.2, 0.0), mass=None)),
        "<Range>5</Range><Fov>360</Fov><Beams>360</Beams>",
    )
    assert len(found) == 1
    assert abs(found[0][0]) == pytest.approx(math.pi, abs=0.02) and found[0][1] == pytest.approx(2.0, abs=0.01)


def test_nothing_in_range() -> None:
    assert obstacles("", "<Range>5</Range>").shape == (0, 3)


def test_obstacles_tell_nothing_of_a_place() -> None:
    """How many there are depends on who stands around: localization is told of none."""
    with simulation(gravity=0.0) as here:
        robot = spawned(here, sphere("Ball") + sensor("ObstacleSensor", "Scan", "<Range>3</Range>"))
        scanner = robot.sensors["Scan"].description
        assert isinstance(scanner, Perceptual)
        assert scanner.features({7: "Goal"}) == ()
