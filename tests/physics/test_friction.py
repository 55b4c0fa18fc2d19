"""Sliding, rolling and coming to rest: the same in every direction, although ODE's friction is a pyramid."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers.world_scenes import add_ball, add_box, empty_world, ground_world
from ubersim.description.materials import Surface
from ubersim.geometry import Array, rotation_about
from ubersim.physics import Body, World

AZIMUTHS = [math.radians(angle) for angle in (0, 17, 45, 70, 90, 135)]


def direction(azimuth: float) -> Array:
    return np.array([math.cos(azimuth), math.sin(azimuth), 0.0])


def slope(angle: float, azimuth: float, surface: Surface) -> tuple[World, Array]:
    """A plane through the origin that falls towards the azimuth, and the rotation from level onto it."""
    turn = rotation_about(2, azimuth) @ rotation_about(1, angle)
    world = empty_world(surface=surface)
    world.add_plane(0, 0, turn[:, 2], 0)
    return world, turn


def acceleration(world: World, body: Body, along: Array, seconds: float = 0.5) -> tuple[float, float]:
    """Mean acceleration along a direction, and the speed across it, both from rest."""
    world.run(round(seconds / world.step))
    velocity = body.linear_velocity
    forward = float(velocity @ along)
    return forward / seconds, float(np.linalg.norm(velocity - forward * along))


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_box_slides_down_a_slope(azimuth: float) -> None:
    world, turn = slope(0.6, azimuth, Surface(mu=0.4))
    # Not turned with the slope's azimuth: its edges lie askew to the way it slides.
    box = add_box(world, turn[:, 2] * 0.05, size=(0.4, 0.4, 0.1), rotation=turn @ rotation_about(2, -azimuth))
    forward, sideways = acceleration(world, box, turn[:, 0])
    assert forward == pytest.approx(forms.sliding_acceleration(0.6, 0.4), rel=0.005)
    assert sideways < 0.01


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_box_stays_on_a_gentle_slope(azimuth: float) -> None:
    world, turn = slope(0.35, azimuth, Surface(mu=0.4))
    box = add_box(world, turn[:, 2] * 0.05, size=(0.4, 0.4, 0.1), rotation=turn @ rotation_about(2, -azimuth))
    forward, sideways = acceleration(world, box, turn[:, 0])
    assert abs(forward) < 1e-4
    assert sideways < 1e-4


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("friction", [0.5, 0.1], ids=["rolls", "slips"])
def test_ball_rolls_down_a_slope(azimuth: float, friction: float) -> None:
    world, turn = slope(0.5, azimuth, Surface(mu=friction))
    ball = add_ball(world, turn[:, 2] * 0.1)
    forward, sideways = acceleration(world, ball, turn[:, 0])
    assert forward == pytest.approx(forms.rolling_acceleration(0.5, friction), rel=0.003)
    assert sideways < 1e-3


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_sliding_box_slows_down_by_mu_g(azimuth: float) -> None:
    world = ground_world(surface=Surface(mu=0.5))
    box = add_box(world, (0, 0, 0.05), size=(0.4, 0.4, 0.1))
    box.set_state(linear=5 * direction(azimuth))
    world.run(500)
    # Per cent: the pyramid of each of the four contacts turns with its own slip.
    assert box.linear_velocity @ direction(azimuth) == pytest.approx(5 - 0.5 * forms.GRAVITY * 0.5, rel=0.002)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("excess", [0.95, 1.1])
def test_pushed_box_starts_where_friction_ends(azimuth: float, excess: float) -> None:
    world = ground_world(surface=Surface(mu=0.5))
    box = add_box(world, (0, 0, 0.05), size=(0.4, 0.4, 0.1), mass=2.0)
    limit = 0.5 * 2.0 * forms.GRAVITY
    for _ in range(500):
        # At the height of the ground, so that the push does not tip the box.
        box.add_force(excess * limit * direction(azimuth), point=(*box.position[:2], 0.0))
        world.run()
    velocity = box.linear_velocity
    assert velocity @ direction(azimuth) == pytest.approx(max(0.0, excess - 1) * 0.5 * forms.GRAVITY * 0.5, abs=0.003)
    assert abs(float(np.cross(direction(azimuth), velocity)[2])) < 0.003


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_ball_comes_to_rest_where_rolling_friction_says(azimuth: float) -> None:
    world = ground_world(surface=Surface(mu=0.8, rolling=0.004, spinning=0.001))
    ball = add_ball(world, (0, 0, 0.1))
    ball.set_state(linear=direction(azimuth), angular=10 * np.array([-math.sin(azimuth), math.cos(azimuth), 0]))
    wanted = forms.stopping_distance(1.0, forms.rolling_deceleration(0.1, 0.004))
    world.run(5000)
    assert ball.position[:2] == pytest.approx(wanted * direction(azimuth)[:2], abs=0.003 * wanted)
    assert np.abs(world.linear_velocities).max() < 1e-6


def test_ball_without_rolling_friction_rolls_on() -> None:
    world = ground_world(surface=Surface(mu=0.8))
    ball = add_ball(world, (0, 0, 0.1))
    ball.set_state(linear=(1, 0, 0), angular=(0, 10, 0))
    world.run(5000)
    assert ball.position[0] == pytest.approx(5.0, rel=1e-6)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_thrown_ball_ends_up_rolling_at_five_sevenths(azimuth: float) -> None:
    world = ground_world(surface=Surface(mu=0.3))
    ball = add_ball(world, (0, 0, 0.1))
    ball.set_state(linear=3 * direction(azimuth))
    world.run(1000)
    wanted = forms.rolling_speed_after_sliding(3.0) * direction(azimuth)
    assert ball.linear_velocity == pytest.approx(wanted, abs=0.005)


def test_spinning_friction_stops_a_ball_that_turns_on_the_spot() -> None:
    world = ground_world(surface=Surface(mu=0.8, spinning=0.002))
    ball = add_ball(world, (0, 0, 0.1), mass=2.0)
    ball.set_state(angular=(0, 0, 5))
    world.run(100)
    # torque = spinning * weight, moment = 0.4 m r^2
    slowed = 5 - 0.002 * forms.GRAVITY / (0.4 * 0.1**2) * 0.1
    assert ball.angular_velocity[2] == pytest.approx(slowed, rel=1e-3)


def test_anisotropic_friction_goes_with_the_bodys_x_axis() -> None:
    slowed = []
    for azimuth in (0.0, math.pi / 2):
        world = ground_world(surface=Surface(mu=0.2, mu2=0.6))
        heading = rotation_about(2, 0.7)  # the body's x axis need not be the world's
        box = add_box(world, (0, 0, 0.05), size=(0.4, 0.4, 0.1), rotation=heading)
        way = heading @ direction(azimuth)
        box.set_state(linear=4 * way)
        world.run(400)
        slowed.append((4 - float(box.linear_velocity @ way)) / 0.4 / forms.GRAVITY)
    assert slowed == pytest.approx([0.6, 0.2], rel=0.01)


def test_quick_solver_slides_alike() -> None:
    world = ground_world(surface=Surface(mu=0.5), solver="quick")
    box = add_box(world, (0, 0, 0.05), size=(0.4, 0.4, 0.1))
    box.set_state(linear=5 * direction(0.8))
    world.run(500)
    assert box.linear_velocity @ direction(0.8) == pytest.approx(5 - 0.5 * forms.GRAVITY * 0.5, rel=0.03)
