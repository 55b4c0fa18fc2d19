"""What clients, logs and the page are told of a robot's motors: the unit of each property, as it is at run time."""

from __future__ import annotations

import pytest

from tests.helpers.motor_robots import arm, sled
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of

SERVO = '<PositionServo name="M"><Joint>{}</Joint><Kp>100</Kp><TorqueLimit>5</TorqueLimit></PositionServo>'


@pytest.mark.parametrize(
    ("document", "units"),
    [
        (arm(SERVO.format("H")), {"Target": "rad", "Kp": "N m/rad", "SpeedLimit": "rad/s", "TorqueLimit": "N m"}),
        (sled(SERVO.format("S")), {"Target": "m", "Kp": "N/m", "SpeedLimit": "m/s", "TorqueLimit": "N"}),
    ],
)
def test_a_servo_has_the_units_of_its_joint(document: str, units: dict[str, str]) -> None:
    with Simulation() as simulation:
        told = introduction_of(simulation.spawn(document))["motors"]["M"]["units"]
    assert told.items() >= units.items()


@pytest.mark.parametrize(
    ("robot", "units"),
    [
        ("scout", {"Speed": "m/s", "Sideways": "m/s", "Turn": "rad/s"}),
        ("car", {"Speed": "m/s", "Steering": "rad", "Curvature": "1/m", "Turn": "rad/s", "Sideways": "m/s"}),
    ],
)
def test_a_drive_has_those_of_a_twist(robot: str, units: dict[str, str]) -> None:
    """Its speed is that of the robot, though wheels turn; angles are in degrees in documents alone."""
    with Simulation() as simulation:
        told = introduction_of(simulation.spawn(robot))["motors"]["Drive"]
    assert told["units"] == units and set(units) == set(told["properties"])
