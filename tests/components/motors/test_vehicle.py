"""A car goes where its steering says: straight, or in a circle of the curvature's radius."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers.motor_robots import car
from ubersim.description import read_robot
from ubersim.errors import DescriptionError, UberSimError
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

VEHICLE = """<Vehicle name="Drive"><FrontLeft>FL</FrontLeft><FrontRight>FR</FrontRight><RearLeft>RL</RearLeft>
  <RearRight>RR</RearRight><WheelRadius>0.1</WheelRadius><SteeringTorque>20</SteeringTorque>
  <DriveTorque>5</DriveTorque><Drive>{drive}</Drive></Vehicle>"""
STIFF = "<SuspensionERP>0.2</SuspensionERP><SuspensionCFM>1e-8</SuspensionCFM>"


def rear(robot: Robot) -> Array:
    """The middle of the rear axle."""
    middle: Array = (robot.bodies["WRL"].position + robot.bodies["WRR"].position) / 2
    return middle


def circle(places: list[Array]) -> tuple[float, float]:
    """Radius, and how far the places are from that circle at most."""
    xy = np.array(places)[:, :2]
    ones = np.column_stack([2 * xy, np.ones(len(xy))])
    solution = np.linalg.lstsq(ones, (xy**2).sum(axis=1), rcond=None)[0]
    distances = np.linalg.norm(xy - solution[:2], axis=1)
    return float(distances.mean()), float(np.ptp(distances))


@pytest.mark.parametrize("drive", ["front", "rear", "all"])
def test_straight_ahead_and_back(drive: str) -> None:
    simulation = Simulation()
    robot = simulation.spawn(car(VEHICLE.format(drive=drive), STIFF))
    for speed in (1.0, -1.0):
        robot.command("Drive", "Speed", speed)
        simulation.step(1000)
        before = rear(robot).copy()
        simulation.step(1000)
        np.testing.assert_allclose(rear(robot) - before, (0, speed, 0), atol=0.01)


@pytest.mark.parametrize(("property", "value"), [("Curvature", 0.8), ("Curvature", -0.5), ("Steering", 0.3)])
def test_a_curve_has_the_commanded_radius_and_no_wheel_slips(property: str, value: float) -> None:
    simulation = Simulation()
    robot = simulation.spawn(car(VEHICLE.format(drive="rear"), STIFF))
    robot.command("Drive", property, value)
    robot.command("Drive", "Speed", 0.5)
    simulation.step(2000)
    places, hull = [], robot.bodies["Car"]
    for _ in range(100):
        simulation.step(60)
        places.append(rear(robot).copy())
    curvature = value if property == "Curvature" else math.tan(value) / 0.6
    radius, spread = circle(places)
    assert radius == pytest.approx(1 / abs(curvature), rel=0.02)
    assert spread < 0.02 * radius
    assert hull.angular_velocity[2] == pytest.approx(0.5 * curvature, rel=0.02)


def test_steering_is_bounded() -> None:
    simulation = Simulation()
    robot = simulation.spawn(car(VEHICLE.format(drive="rear"), STIFF))
    robot.command("Drive", "Steering", 1.2)
    simulation.step(1000)
    inner, outer = (abs(robot.joints[name].position(0)) for name in ("FL", "FR"))
    tightest = math.tan(math.radians(40)) / 0.6
    assert inner == pytest.approx(math.atan2(tightest * 0.6, 1 - tightest * 0.2), abs=0.01)
    assert outer == pytest.approx(math.atan2(tightest * 0.6, 1 + tightest * 0.2), abs=0.01)


def test_wheels_need_a_joint_that_steers() -> None:
    document = car(VEHICLE.format(drive="rear"), STIFF)
    start, end = document.index('<JointHinge2 name="RL">'), document.index('<JointHinge2 name="RR">')
    hinge = document[start:end].replace("Hinge2", "Hinge").replace("Axis2", "Axis")
    first = hinge.index("<Axis1>"), hinge.index("</Axis1>") + len("</Axis1>")
    hinge = (hinge[: first[0]] + hinge[first[1] :]).replace(STIFF, "")
    with pytest.raises(UberSimError, match="needs a JointHinge2"):
        Simulation().spawn(document[:start] + hinge + document[end:])


def test_there_is_one_way_to_say_where_to_steer() -> None:
    both = VEHICLE.format(drive="rear").replace("</Vehicle>", "<Curvature>1</Curvature><Turn>1</Turn></Vehicle>")
    with pytest.raises(DescriptionError, match="give one of Steering, Curvature and Turn"):
        read_robot(car(both, STIFF))


def test_front_wheels_are_in_front() -> None:
    document = car(VEHICLE.format(drive="rear"), STIFF)
    for one, other in (("FL", "RL"), ("FR", "RR")):
        document = document.replace(f'<JointHinge2 name="{one}">', "#").replace(
            f'<JointHinge2 name="{other}">', f'<JointHinge2 name="{one}">'
        )
        document = document.replace("#", f'<JointHinge2 name="{other}">')
    with pytest.raises(UberSimError, match="the front wheels are not in front of the rear wheels"):
        Simulation().spawn(document)
