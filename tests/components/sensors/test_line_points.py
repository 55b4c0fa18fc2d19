"""Line points against closed forms: where rays over the ground meet paint."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers.documents import vector
from tests.helpers.sensor_stage import box, sensor, simulation, spawned, sphere
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

WIDTH = 0.1
AROUND = "<Range>10</Range><Fov>360</Fov><Beams>8</Beams>"


def line(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f"<Line>{vector('From', *start, 0)}{vector('To', *end, 0)}<Width>{WIDTH}</Width></Line>"


def field(markings: str, static: str = "") -> Simulation:
    return simulation(gravity=0, inside=f"<Static>{static}</Static><Markings>{markings}</Markings>")


def points(robot: Robot) -> list[float]:
    reading = robot.read("Lines")
    assert isinstance(reading, np.ndarray)
    found: list[float] = reading.astype(float).tolist()
    return found


def seeker(here: Simulation, inside: str = AROUND, *, heading: float = 0.0, height: float = 0.5) -> Robot:
    return spawned(here, sphere("s") + sensor("LinePointSensor", "Lines", inside), at=(0, 0, height), heading=heading)


@pytest.mark.parametrize("heading", [0.0, 0.3, -2.0])
def test_a_straight_line_is_met_where_the_ray_crosses_its_near_edge(heading: float) -> None:
    found = points(seeker(field(line((-9, 2), (9, 2))), heading=heading))
    for angle, distance in zip((np.arange(8) / 8 - 0.5) * math.tau + heading, found, strict=True):
        ahead = math.cos(angle)
        reach = (2 - WIDTH / 2) / ahead if ahead > 0 else math.inf
        sideways = abs(math.sin(angle)) * reach if ahead > 0 else 0.0
        expected = reach if reach <= 10 and sideways < 9 else math.inf
        assert distance == pytest.approx(expected, rel=1e-5)


def test_a_line_ends_where_it_ends() -> None:
    beyond = points(seeker(field(line((0.2, 2), (9, 2)))))
    assert beyond[4] == math.inf  # straight ahead it passes the end, which is square
    assert points(seeker(field(line((-0.2, 2), (9, 2)))))[4] == pytest.approx(2 - WIDTH / 2)


def test_a_ring_is_seen_at_its_inner_edge_from_within() -> None:
    ring = f"<Circle>{vector('Position', 0, 0, 0)}<Radius>3</Radius><Width>{WIDTH}</Width></Circle>"
    assert points(seeker(field(ring))) == pytest.approx([3 - WIDTH / 2] * 8, rel=2e-3)  # it is painted with chords


def test_the_nearest_paint_counts_and_what_it_stands_on_is_at_near() -> None:
    two = line((-9, 2), (9, 2)) + line((-9, 1), (9, 1))
    assert points(seeker(field(two)))[4] == pytest.approx(1 - WIDTH / 2)
    found = points(seeker(field(line((-9, 0), (9, 0))), f"{AROUND}<Near>0.02</Near>"))
    assert found == pytest.approx([0.02] * 8)


def test_distances_do_not_depend_on_the_sensors_height() -> None:
    low, high = (points(seeker(field(line((-9, 2), (9, 2))), height=height)) for height in (0.2, 5.0))
    assert low == high


def test_what_stands_before_a_line_hides_it_and_what_is_behind_does_not() -> None:
    before = box("B", (1, 0.2, 2), (0, 1, 0.5), mass=None)
    assert points(seeker(field(line((-9, 2), (9, 2)), before)))[4] == math.inf
    behind = box("B", (1, 0.2, 2), (0, 4, 0.5), mass=None)
    assert points(seeker(field(line((-9, 2), (9, 2)), behind)))[4] == pytest.approx(2 - WIDTH / 2)


def test_beyond_its_range_and_without_markings_there_is_nothing() -> None:
    near = "<Range>1.5</Range><Fov>360</Fov><Beams>8</Beams>"
    assert points(seeker(field(line((-9, 2), (9, 2))), near)) == [math.inf] * 8
    assert points(seeker(simulation(gravity=0))) == [math.inf] * 8


def test_noise_has_the_stated_deviation_and_follows_the_seed() -> None:
    noisy = "<Range>10</Range><Fov>10</Fov><Beams>1000</Beams><Noise>0.05</Noise>"
    exact, first, again = (
        np.array(points(seeker(field(line((-9, 2), (9, 2))), inside)))
        for inside in (noisy.replace("0.05", "0"), noisy, noisy)
    )
    assert np.std(first - exact) == pytest.approx(0.05, rel=0.1)
    assert (first == again).all()
