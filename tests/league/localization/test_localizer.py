"""A cloud of particles: it moves as the robot does, finds it, loses it and finds it again, to the same bits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.league.localization.stage import learned, seen_at
from ubersim.league.localization import Estimate, Localizer, MotionNoise

EXACT = MotionNoise(distance=0.0, turn=0.0, skew=0.0, drift=(0.0, 0.0))


def away(found: Estimate, pose: tuple[float, float, float]) -> tuple[float, float]:
    """How far an estimate is off: place [m] and heading [rad]."""
    turn = (found.heading - pose[2] + math.pi) % math.tau - math.pi
    return math.hypot(found.x - pose[0], found.y - pose[1]), abs(turn)


def test_without_noise_particles_go_along_the_chord_of_an_arc() -> None:
    """A quarter of a circle of radius 1 to the left, in many small steps."""
    cloud = Localizer(learned(), particles=5, noise=EXACT)
    before, count = cloud.poses.copy(), 100
    turn = math.pi / 2 / count
    for _ in range(count):
        cloud.move(0.0, 2 * math.sin(turn / 2), turn)
    x, y, heading = before.T
    assert cloud.poses[:, 0] == pytest.approx(x - np.cos(heading) - np.sin(heading))
    assert cloud.poses[:, 1] == pytest.approx(y - np.sin(heading) + np.cos(heading))
    assert cloud.poses[:, 2] == pytest.approx(heading + math.pi / 2)


def test_motion_spreads_the_cloud_as_its_noise_says() -> None:
    cloud = Localizer(learned(), particles=20_000, noise=MotionNoise(0.1, 0.2, 0.0, (0.0, 0.0)))
    cloud.poses[:] = 0.0
    cloud.move(0.0, 2.0, 0.0)
    assert cloud.poses.std(axis=0) == pytest.approx([0.2, 0.2, 0.0], rel=0.03)
    assert cloud.poses[:, 1].mean() == pytest.approx(2.0, abs=0.01)
    cloud.poses[:] = 0.0
    cloud.move(0.0, 0.0, 1.0)
    assert cloud.poses[:, 2].std() == pytest.approx(0.2, rel=0.03)


def settle(cloud: Localizer, pose: tuple[float, float, float], readings: int, seed: int = 0) -> Estimate:
    for count in range(readings):
        cloud.move(0.0, 0.0, 0.0)
        cloud.sense(seen_at(pose, seed + count))
    return cloud.estimate()


def test_it_finds_itself_from_nothing_and_after_it_was_carried_away() -> None:
    first, second = (1.1, -1.4, 0.7), (-1.3, 2.2, -2.5)
    cloud = Localizer(learned(), particles=500, seed=3)
    place, turn = away(settle(cloud, first, 12), first)
    assert place < 0.15 and turn < 0.1
    place, turn = away(settle(cloud, second, 25, seed=100), second)
    assert place < 0.15 and turn < 0.1
    assert cloud.estimate().confidence > 0.9 and cloud.estimate().spread < 0.3


def test_where_it_starts_may_be_known() -> None:
    cloud = Localizer(learned(), particles=100, start=(0.5, 0.5, 1.0))
    assert away(cloud.estimate(), (0.5, 0.5, 1.0)) == pytest.approx((0.0, 0.0), abs=0.03)


def test_same_inputs_same_bits() -> None:
    clouds = [Localizer(learned(), particles=200, seed=seed) for seed in (1, 1, 2)]
    for cloud in clouds:
        settle(cloud, (0.3, 0.4, 0.5), 4)
    first, again, other = (cloud.poses.tobytes() for cloud in clouds)
    assert first == again != other


def test_off_the_map_it_looks_everywhere_again() -> None:
    cloud = Localizer(learned(), particles=300, seed=1)
    cloud.poses[:, 0] = 100.0
    cloud.sense(seen_at((0.0, 1.0, 0.0)))
    cloud.sense(seen_at((0.0, 1.0, 0.0)))
    assert (np.abs(cloud.poses[:, 0]) <= 2.0).sum() > 100


def test_readings_that_the_map_does_not_know_change_nothing() -> None:
    cloud = Localizer(learned(), particles=50, seed=1)
    before = cloud.poses.copy(), cloud.weights.copy()
    cloud.sense({"Gyro": np.zeros(3), "Laser": None})
    assert (cloud.poses == before[0]).all() and (cloud.weights == before[1]).all()
