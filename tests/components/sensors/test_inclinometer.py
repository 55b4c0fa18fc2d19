"""The inclinometer: pitch as the contract defines it, whatever the body and the mount are turned by."""

import json
import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ubersim.components.sensors.inclinometer import Inclinometer, InclinometerSensor
from ubersim.description import Surface
from ubersim.geometry import Pose, quaternion_from_matrix, rotation_xyz
from ubersim.physics import World
from ubersim.timing.latency import generator

ANGLES = st.tuples(*[st.floats(-math.pi, math.pi)] * 3)


class Carrier:
    """What an inclinometer needs of its mount: the body that carries it, and how it is turned there."""

    def __init__(self, rotation: tuple[float, float, float] = (0, 0, 0), mount: tuple[float, float, float] = (0, 0, 0)):
        self.world = World(0.001, surfaces=[[Surface()]], gravity=(0, 0, 0))
        self.body = self.world.add_body(
            1, mass=1.0, inertia=np.eye(3), position=np.zeros(3), rotation=rotation_xyz(rotation)
        )
        self.pose = Pose(np.zeros(3), rotation_xyz(mount))


def device(carrier: Carrier, **fields: Any) -> Inclinometer:
    sensor = InclinometerSensor(name="t", position=(0.0, 0.0, 0.0), **fields)
    return sensor.build(carrier, generator(1, "r", "t"))  # type: ignore[arg-type]


def reading(found: Inclinometer) -> float:
    return float(struct.unpack("<f", found.sample())[0])


@pytest.mark.parametrize("pitch", [-3.0, -math.pi / 2, -0.1, 0.0, 0.1, math.pi / 2, 3.0])
@pytest.mark.parametrize("heading", [0.0, 1.0, -2.5])
def test_nose_up_is_positive_whatever_the_heading(pitch: float, heading: float) -> None:
    """A turn about +x lifts the nose, which points along +y."""
    assert reading(device(Carrier((pitch, 0, heading)))) == pytest.approx(pitch, abs=1e-6)


def test_roll_does_not_change_a_level_nose() -> None:
    assert reading(device(Carrier((0, 0.7, 0)))) == pytest.approx(0, abs=1e-7)


@given(ANGLES, ANGLES)
@settings(max_examples=50)
def test_it_is_the_contracts_formula_in_the_sensors_own_frame(body: Any, mount: Any) -> None:
    carrier = Carrier(body, mount)
    frame = rotation_xyz(body) @ rotation_xyz(mount)
    expected = math.atan2(frame[2, 1], frame[2, 2])
    found = device(carrier).tilt()
    assert math.cos(found - expected) == pytest.approx(1, abs=1e-9)


def test_the_mounts_turn_is_part_of_the_pitch() -> None:
    assert reading(device(Carrier((0.1, 0, 0), (0.2, 0, 0)))) == pytest.approx(0.3, abs=1e-7)


@given(st.floats(-1.5, 1.5))
@settings(max_examples=50)
def test_resolution_quantises_to_the_nearest_step(pitch: float) -> None:
    step = math.radians(0.128)
    value = reading(device(Carrier((pitch, 0, 0)), resolution=step))
    assert value / step == pytest.approx(round(value / step), abs=1e-3)
    assert abs(value - pitch) <= step / 2 + 1e-6


def test_noise_is_gaussian_and_the_same_for_the_same_seed() -> None:
    carrier = Carrier((0.2, 0, 0))
    first, second = device(carrier, noise=0.01), device(carrier, noise=0.01)
    values = np.array([reading(first) for _ in range(4000)])
    assert values.mean() == pytest.approx(0.2, abs=4 * 0.01 / math.sqrt(4000))
    assert values.std() == pytest.approx(0.01, rel=0.05)
    assert [reading(second) for _ in range(4000)] == values.tolist()


def test_it_follows_its_body_through_other_bodies_coming_and_going() -> None:
    carrier = Carrier((0.1, 0, 0))
    found = device(carrier)
    for _ in range(100):
        carrier.world.add_body(2, mass=1.0, inertia=np.eye(3), position=np.ones(3), rotation=np.eye(3))
    assert reading(found) == pytest.approx(0.1, abs=1e-7)
    carrier.world.remove(2)
    carrier.body.set_state(quaternion=quaternion_from_matrix(rotation_xyz((0.4, 0, 0))), angular=(1, 0, 0))
    assert reading(found) == pytest.approx(0.4, abs=1e-7)
    carrier.world.run(100)
    assert reading(found) == pytest.approx(0.5, abs=1e-3)


def test_a_row_that_moves_up_is_followed() -> None:
    world = World(0.001, surfaces=[[Surface()]])
    world.add_body(1, mass=1.0, inertia=np.eye(3), position=np.zeros(3), rotation=np.eye(3))
    carrier = Carrier()
    carrier.world = world
    carrier.body = world.add_body(
        2, mass=1.0, inertia=np.eye(3), position=np.ones(3), rotation=rotation_xyz((0.3, 0, 0))
    )
    found = device(carrier)
    world.remove(1)
    assert carrier.body.row == 0
    assert reading(found) == pytest.approx(0.3, abs=1e-7)


def test_a_snapshot_continues_the_noise() -> None:
    carrier = Carrier()
    first = device(carrier, noise=0.1)
    first.set(2, 0.2)
    reading(first)
    state = json.loads(json.dumps(first.state()))
    expected = [reading(first) for _ in range(5)]
    second = device(carrier)
    second.restore(state)
    assert [reading(second) for _ in range(5)] == expected
