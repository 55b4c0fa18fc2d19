"""Robots without a `Spawn` of their own find the first free place, however the ground is covered."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.documents import AT_ORIGIN, ball, body, robot
from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.spawning import free_place

coordinates = st.floats(-3.0, 3.0)
circles = st.lists(st.tuples(coordinates, coordinates, st.floats(0.01, 2.0)), max_size=30)


def first_free(reach: float, centers: Array, distances: Array) -> tuple[float, float]:
    """The plain way: node after node, and every circle for each."""
    spacing = 2 * reach + 2 * 0.05
    for ring in itertools.count():
        for x, y in itertools.product(range(-ring, ring + 1), repeat=2):
            if max(abs(x), abs(y)) == ring:
                node = np.array([x * spacing, y * spacing])
                if all(np.hypot(*(node - center)) > far for center, far in zip(centers, distances, strict=True)):
                    return x * spacing, y * spacing
    raise AssertionError


@given(circles, st.floats(0.05, 0.5))
def test_the_place_is_the_first_free_one(taken: list[tuple[float, float, float]], reach: float) -> None:
    centers = np.array([(x, y) for x, y, _ in taken]).reshape(-1, 2)
    distances = np.array([reach + size + 0.05 for _, _, size in taken])
    assert free_place(reach, centers, distances) == first_free(reach, centers, distances)


def test_beside_something_very_wide() -> None:
    distances = np.array([40_000.0])
    x, y = free_place(0.1, np.array([[5.0, 0.0]]), distances)
    assert x == pytest.approx(40_005.05) and y == 0.0


def test_no_place_within_the_world() -> None:
    with pytest.raises(UberSimError, match="no free place"):
        free_place(0.1, np.array([[0.0, 0.0]]), np.array([1e5]))


def test_the_next_robot_stands_beside_a_wide_one() -> None:
    sizes = "<XSize>9000</XSize><YSize>9000</YSize><ZSize>0.1</ZSize>"
    plate = f'<Box name="b"><Mass>1</Mass>{sizes}{AT_ORIGIN}<Material>Metal</Material></Box>'
    wide = robot(body(plate))
    with Simulation() as simulation:
        simulation.spawn(wide, name="Wide")
        small = simulation.spawn(robot(body(ball("ball"))), name="Small")
        assert np.hypot(*small.spawned_at.position[:2]) > 4500
