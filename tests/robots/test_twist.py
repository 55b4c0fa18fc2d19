"""One twist drives every robot on wheels, and its odometry says how fast it goes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.components.drives.test_drives import cart, differential, holonomic
from tests.helpers.documents import vector
from tests.helpers.robot_programs import document
from ubersim.description import read_world
from ubersim.errors import DescriptionError, UberSimError
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot

ODOMETRY = (
    f'<OdometrySensor name="Odometry">{vector("Position", 0, 0, 0)}<Velocities>true</Velocities></OdometrySensor>'
)
SPATIAL = '<SpatialDrive name="Drive"></SpatialDrive>'
WHEELED = ("scout", "pioneer", "car", "msl_omni", "ssl")


def kinematic(motion: str) -> str:
    return cart(motion).replace('<Body name="Tower">', f'<Body name="Tower">{ODOMETRY}')


def entered(name: str) -> tuple[Simulation, Robot]:
    moved = {"Differential": differential(), "Holonomic": holonomic(), "Spatial": SPATIAL}
    simulation = Simulation()
    robot = simulation.spawn(kinematic(moved[name]) if name in moved else document(name, cameras=False))
    simulation.step(100)
    return simulation, robot


def told(robot: Robot, **twist: float) -> None:
    for name, value in twist.items():
        robot.command("Drive", name, value)


def planar(robot: Robot) -> tuple[Array, float]:
    """Velocity of its first body to the right and forward, and how fast that turns."""
    body = next(iter(robot.bodies.values()))
    return (body.rotation.T @ body.linear_velocity)[:2], float(body.angular_velocity[2])


def odometry(robot: Robot) -> Array:
    reading = robot.read("Odometry")
    assert isinstance(reading, np.ndarray) and reading.shape == (6,)
    return reading.astype(float)


@pytest.mark.parametrize("name", [*WHEELED, "Differential", "Holonomic", "Spatial"])
def test_every_drive_takes_the_same_twist_and_tells_how_fast_it_goes(name: str) -> None:
    simulation, robot = entered(name)
    told(robot, Speed=0.4, Turn=0.5, Sideways=0.0)
    simulation.step(1200)
    (right, forward), turn = planar(robot)
    assert math.hypot(right, forward) == pytest.approx(0.4, rel=0.06)  # the middle of a long body goes a wider way
    assert turn == pytest.approx(0.5, rel=0.04)
    assert odometry(robot)[3:] == pytest.approx([0.0, 0.4, 0.5], abs=0.02)


@pytest.mark.parametrize("name", ["msl_omni", "ssl", "Holonomic", "Spatial"])
def test_what_can_goes_sideways(name: str) -> None:
    simulation, robot = entered(name)
    told(robot, Sideways=0.3)
    simulation.step(1000)
    (right, forward), turn = planar(robot)
    assert (right, forward, turn) == pytest.approx((0.3, 0.0, 0.0), abs=0.03)
    assert odometry(robot)[3:] == pytest.approx([0.3, 0.0, 0.0], abs=0.02)
    assert odometry(robot)[0] > 0.2 and abs(odometry(robot)[1]) < 0.02


@pytest.mark.parametrize("name", ["scout", "car", "Differential"])
def test_what_cannot_go_sideways_takes_the_command_and_stays(name: str) -> None:
    simulation, robot = entered(name)
    told(robot, Sideways=0.3)
    simulation.step(300)
    assert np.abs(planar(robot)[0]).max() < 0.01


def test_omni_odometry_is_where_the_robot_is() -> None:
    simulation, robot = entered("msl_omni")
    base = robot.bodies["Base"]
    told(robot, Speed=0.5, Sideways=-0.3, Turn=0.8)
    simulation.step(400)  # the wheels slip until the robot has gathered speed
    start, before = base.position.copy(), odometry(robot)
    simulation.step(2000)
    after = odometry(robot)
    assert np.linalg.norm(after[:2] - before[:2]) == pytest.approx(np.linalg.norm(base.position - start), rel=0.02)
    assert after[2] - before[2] == pytest.approx(2.0 * 0.8, rel=0.01)


def test_a_standing_car_swings_its_wheels_and_follows_its_speed() -> None:
    simulation, robot = entered("car")
    told(robot, Turn=1.0)
    simulation.step(400)
    assert abs(robot.joints["FL"].position(0)) > math.radians(20)
    told(robot, Speed=1.0)
    simulation.step(1500)
    assert planar(robot)[1] == pytest.approx(1.0, rel=0.05)
    told(robot, Speed=-1.0)  # backwards and still to the left: the wheels swing over
    simulation.step(1500)
    assert planar(robot)[1] == pytest.approx(1.0, rel=0.05)
    robot.command("Drive", "Curvature", 0.0)
    simulation.step(500)
    assert planar(robot)[1] == pytest.approx(0.0, abs=0.02)


def test_wheels_that_a_program_commands_are_left_alone() -> None:
    simulation, robot = entered("msl_omni")
    told(robot, Speed=0.5)
    simulation.step(300)
    for wheel in ("Right", "Left", "Rear"):
        robot.command(wheel, "Vel", 5.0)
    simulation.step(500)
    assert planar(robot)[1] == pytest.approx(5.0 * 0.05 / 0.17, rel=0.03)
    assert not robot.busy


@pytest.mark.parametrize(("fast", "azimuth"), [(1.5, 0.0), (3.5, 0.0), (3.5, 240.0)])
def test_the_middle_size_robot_reverses_without_tipping(fast: float, azimuth: float) -> None:
    """All that its motors have, on carpet, that of its fields, which brakes, too; away from a side between two wheels.

    For more than a second at the higher speed: what tips slowly would have the time.
    """
    simulation = Simulation(read_world("<World><Ground><Material>Carpet</Material></Ground></World>"))
    robot, steepest = simulation.spawn(document("msl_omni", cameras=False)), 1.0
    away = np.array([math.sin(math.radians(azimuth)), math.cos(math.radians(azimuth))])
    for speed in (fast, -fast):
        right, forward = speed * away
        told(robot, Speed=forward, Sideways=right)
        for _ in range(60 if fast < 2.0 else 100):
            simulation.step(20)
            steepest = min(steepest, float(robot.bodies["Base"].rotation[2, 2]))
    assert planar(robot)[0] @ away < -0.7 * fast
    assert math.degrees(math.acos(steepest)) < 1.0


@pytest.mark.parametrize("name", ["scout", "Holonomic"])
def test_a_snapshot_keeps_it(name: str) -> None:
    simulation, robot = entered(name)
    told(robot, Speed=0.3, Turn=0.2)
    simulation.step(150)
    snapshot = Snapshot.from_bytes(simulation.snapshot().to_bytes())
    simulation.step(150)
    first = odometry(robot), simulation.digest()
    simulation.restore(snapshot)
    simulation.step(150)
    assert (odometry(robot) == first[0]).all() and simulation.digest() == first[1]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("LWheelHinge RWheelHinge", "LWheelHinge Nowhere"), "joint 'Nowhere' does not exist"),
        (("LWheelHinge RWheelHinge", "LWheelHinge"), "names 1; allowed are 2 to 16, separated by blanks"),
        (("LWheelHinge RWheelHinge", "LWheelHinge LWheelHinge"), "names 'LWheelHinge' twice"),
        (("LWheelHinge RWheelHinge", "LWheelHinge CastorHinge"), "have no body in common, or two"),
        (("LWheelHinge RWheelHinge", "LWheelHinge Swivel"), "the axle of 'Swivel' is upright"),
    ],
)
def test_wheels_that_are_none(change: tuple[str, str], error: str) -> None:
    with pytest.raises((DescriptionError, UberSimError), match=error):
        Simulation().spawn(document("scout").replace(*change))


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ("<LeftWheel>LWheelHinge</LeftWheel>", "LeftWheel and RightWheel go together"),
        ("<Wheels>LWheelHinge RWheelHinge CastorHinge</Wheels>", "WheelRadius is missing"),
        (
            "<Wheels>LWheelHinge RWheelHinge CastorHinge</Wheels><WheelRadius>0.1</WheelRadius>",
            "cannot tell a motion sideways",
        ),
    ],
)
def test_odometry_that_cannot_be(inside: str, error: str) -> None:
    other: Any = f'<OdometrySensor name="Other">{vector("Position", 0, 0, 0)}{inside}</OdometrySensor>'
    text = document("scout").replace('<BumperSensor name="Bumper">', other + '<BumperSensor name="Bumper">')
    with pytest.raises((DescriptionError, UberSimError), match=error):
        Simulation().spawn(text)
