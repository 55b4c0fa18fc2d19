"""Pendulums on hinges: the period of one, the energy of two."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers.world_scenes import GRAVITY, empty_world
from ubersim.geometry import quaternion_from_matrix, rotation_about
from ubersim.physics import World

MASS, ARM, MOMENT = 1.0, 0.5, 0.01
LENGTH = ARM + MOMENT / (MASS * ARM)
"""Of the point pendulum that swings alike [m]."""


def simulated_period(step: float, amplitude: float) -> float:
    """From the first to the third passage of the lowest point, interpolated within the step."""
    world = empty_world(step)
    bob = world.add_body(1, mass=MASS, inertia=MOMENT * np.eye(3), position=(0, 0, -ARM), rotation=np.eye(3))
    hinge = world.add_joint(1, "hinge", bob, None, anchor=(0, 0, 0), axes=[(1, 0, 0)])
    turn = rotation_about(0, amplitude)
    bob.set_state(position=turn @ (0, 0, -ARM), quaternion=quaternion_from_matrix(turn))
    passages: list[float] = []
    before = hinge.position()
    while len(passages) < 3:
        world.run()
        now = hinge.position()
        if before * now <= 0:
            passages.append((world.frame - now / (now - before)) * step)
        before = now
    return passages[2] - passages[0]


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_period_is_that_of_the_elliptic_integral(amplitude: float) -> None:
    assert simulated_period(0.001, amplitude) == pytest.approx(forms.pendulum_period(LENGTH, amplitude), rel=1e-7)


def test_period_gets_better_with_the_step() -> None:
    errors = [abs(simulated_period(step, 1.0) - forms.pendulum_period(LENGTH, 1.0)) for step in (0.008, 0.004)]
    assert errors[1] < errors[0] / 7  # the motion is of fourth order, what is read off between two steps of third


def double_pendulum(step: float) -> World:
    world = empty_world(step)
    first = world.add_body(1, mass=MASS, inertia=MOMENT * np.eye(3), position=(0, ARM, 0), rotation=np.eye(3))
    second = world.add_body(1, mass=MASS, inertia=MOMENT * np.eye(3), position=(0, 3 * ARM, 0), rotation=np.eye(3))
    world.add_joint(1, "hinge", first, None, anchor=(0, 0, 0), axes=[(1, 0, 0)])
    world.add_joint(1, "hinge", second, first, anchor=(0, 2 * ARM, 0), axes=[(1, 0, 0)])
    return world


def energy(world: World) -> float:
    kinetic = 0.5 * MASS * (world.linear_velocities**2).sum() + 0.5 * MOMENT * (world.angular_velocities**2).sum()
    return float(kinetic + MASS * GRAVITY * world.positions[:, 2].sum())


def energy_error(step: float) -> float:
    """Largest deviation in 10 s, as a share of what the pendulum can turn into motion."""
    world = double_pendulum(step)
    start = energy(world)
    largest = 0.0
    for _ in range(round(10 / step / 10)):
        world.run(10)
        largest = max(largest, abs(energy(world) - start))
    return largest / (MASS * GRAVITY * 4 * ARM * 2)


def test_double_pendulum_keeps_its_energy() -> None:
    coarse, fine = energy_error(0.001), energy_error(0.00025)
    assert coarse < 1e-7
    assert fine < coarse / 30


def test_double_pendulum_stays_together() -> None:
    world = double_pendulum(0.001)
    world.run(10_000)
    first, second = world.rotations
    joint = world.positions[0] + first @ (0, ARM, 0)
    assert math.hypot(*(world.positions[0] - first @ (0, ARM, 0))) < 1e-9
    assert joint == pytest.approx(world.positions[1] - second @ (0, ARM, 0), abs=1e-9)
