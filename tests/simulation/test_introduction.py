"""What clients, logs and the page are told of a robot's sensors and motors: properties, and their units at run time."""

from __future__ import annotations

import pytest

from tests.helpers.documents import AT_ORIGIN, ball, body, robot
from tests.helpers.motor_robots import arm, sled
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.properties import SENSOR_PROPERTIES
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


@pytest.mark.parametrize(
    ("tag", "parts", "more"),
    [
        ("InclinometerSensor", "", {}),
        ("CameraSensor", "<Fov>90</Fov>", {"Fov": 16, "Brightness": 17, "Level": 18}),
        ("DepthSensor", "<Fov>90</Fov>", {"Fov": 16, "Level": 18}),
    ],
)
def test_a_sensor_tells_its_properties_in_version_2(tag: str, parts: str, more: dict[str, int]) -> None:
    document = robot(body(ball("Hull") + f'<{tag} name="S">{AT_ORIGIN}{parts}</{tag}>'))
    later = with_settings(document, protocol=2, name="Later")
    with Simulation() as simulation:
        robots = [simulation.spawn(document), simulation.spawn(later, position=(1.0, 0.0, 0.0))]
        first, second = (introduction_of(each)["sensors"]["S"] for each in robots)
    assert second == first | {"properties": {**SENSOR_PROPERTIES, **more}}
