"""Six degrees of freedom, told: straight lines, circles and screws, exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.components.drives.test_drives import cart
from tests.helpers.documents import vector
from ubersim.description import read_world
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

HEIGHT = 5.0


def flown(frames: int, parts: str = "", **values: float) -> Robot:
    simulation = Simulation()
    drive = f'<SpatialDrive name="Drive">{parts}</SpatialDrive>'
    robot = simulation.spawn(cart(drive), position=(0.0, 0.0, HEIGHT))
    for name, value in values.items():
        robot.command("Drive", name, value)
    simulation.step(frames)
    return robot


def test_it_goes_any_way_and_does_not_fall() -> None:
    robot = flown(2000, SpeedX=0.1, SpeedY=0.2, SpeedZ=0.3)
    np.testing.assert_allclose(robot.bodies["Base"].position, (0.2, 0.4, HEIGHT + 0.6), atol=1e-9)
    assert not flown(500).bodies["Base"].linear_velocity.any()


@pytest.mark.parametrize(
    ("rate", "axis", "forward"),
    [("PitchRate", 0, (0, 0, 1)), ("RollRate", 1, (0, 1, 0)), ("TurnRate", 2, (-1, 0, 0))],
)
def test_a_quarter_turn_about_each_of_its_axes(rate: str, axis: int, forward: tuple[float, ...]) -> None:
    robot = flown(1000, f"<{rate}>{math.pi / 2!r}</{rate}>")
    body = robot.bodies["Base"]
    np.testing.assert_allclose(body.rotation[:, 1], forward, atol=1e-9)
    np.testing.assert_allclose(body.rotation[:, axis], np.eye(3)[axis], atol=1e-9)
    np.testing.assert_allclose(body.position, (0, 0, HEIGHT), atol=1e-9)
    arm = robot.bodies["Tower"].position - body.position
    np.testing.assert_allclose(arm, body.rotation @ (0, 0.3, 0.2), atol=1e-9)


def test_a_loop_upwards_is_a_circle() -> None:
    """Forward at 1 m/s, nose up at 1 rad/s: after half a turn it is 2 m higher, and flies back."""
    simulation_robot = flown(3142, SpeedY=1.0, PitchRate=1.0)
    body = simulation_robot.bodies["Base"]
    np.testing.assert_allclose(body.position, (0, 0, HEIGHT + 2), atol=2e-3)
    np.testing.assert_allclose(body.rotation[:, 1], (0, -1, 0), atol=1e-3)


def test_it_turns_about_its_center() -> None:
    robot = flown(1000, vector("Center", 0, 0.3, 0.2), RollRate=3.0, TurnRate=1.0)
    np.testing.assert_allclose(robot.bodies["Tower"].position, (0, 0.3, HEIGHT + 0.2), atol=1e-9)


def test_it_lands_on_the_ground_and_stops_there() -> None:
    robot = flown(8000, SpeedZ=-1.0)
    assert -1e-4 <= robot.bodies["Base"].position[2] - 0.1 <= 0.0
    assert robot.motion is not None and robot.motion.blocked


def test_speed_ramps() -> None:
    robot = flown(500, "<Acceleration>2</Acceleration><SpeedZ>9</SpeedZ>")
    assert robot.bodies["Base"].position[2] == pytest.approx(HEIGHT + 0.25, abs=1e-9)


def test_a_world_without_ground_is_no_limit() -> None:
    simulation = Simulation(read_world("<World/>"))
    robot = simulation.spawn(cart('<SpatialDrive name="Drive"><SpeedZ>-3</SpeedZ></SpatialDrive>'), position=(0, 0, 0))
    simulation.step(1000)
    assert robot.bodies["Base"].position[2] == pytest.approx(-3.0)
