"""Documents and commands have the same ranges: what a document may say, a program may set, and nothing beyond."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tests.components.joints.test_joints_description import CONNECTIONS, GEOMETRY
from tests.helpers.documents import ball, body, two_bodies
from tests.helpers.motor_robots import arm, car, document
from ubersim.components.joints.commanded import CommandedJoint
from ubersim.description import read_robot
from ubersim.description.base import JointDescription
from ubersim.description.component import Entry
from ubersim.description.drives import MotionDescription
from ubersim.description.motors import MotorDescription
from ubersim.description.registry import registry
from ubersim.description.value_types import Number
from ubersim.errors import DescriptionError, UberSimError
from ubersim.protocol.properties import NEXT_AXIS
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

STOPS = (0, 1)
"""Where they stop nothing they may lie beyond what documents have, as docs/protocol.md says."""
MOTORS = {
    "DCMotor": "<NominalVoltage>24</NominalVoltage><Resistance>1</Resistance><TorqueConstant>1</TorqueConstant>",
    "TorqueMotor": "",
    "VelocityMotor": "<TorqueLimit>1</TorqueLimit>",
    "SpringDamper": "<Stiffness>1</Stiffness>",
    "PositionServo": "<Kp>1</Kp><TorqueLimit>1</TorqueLimit>",
    "Manipulator": "<Poses>0 1</Poses><Speed>1</Speed><TorqueLimit>1</TorqueLimit>",
}
VEHICLE = """<FrontLeft>FL</FrontLeft><FrontRight>FR</FrontRight><RearLeft>RL</RearLeft><RearRight>RR</RearRight>
      <WheelRadius>0.1</WheelRadius><SteeringTorque>1</SteeringTorque><DriveTorque>1</DriveTorque>"""
TWIST = "<Wheels>L R</Wheels><WheelRadius>0.1</WheelRadius>"
HINGES = "".join(
    f'<JointHinge name="{name}"><Body1>C</Body1><Body2>{wheel}</Body2>{GEOMETRY["JointHinge"]}</JointHinge>'
    for name, wheel in (("L", "A"), ("R", "B"))
)
DRIVES = {
    "DifferentialDrive": "<WheelRadius>0.1</WheelRadius><WheelDistance>0.4</WheelDistance>",
    "HolonomicDrive": "",
    "SpatialDrive": "",
}


def _named(kind: str, content: str) -> str:
    return f'<{kind} name="M">{content}</{kind}>'


def _moving(drive: str) -> str:
    return two_bodies("").replace("<Joints></Joints>", f"<Motion>{drive}</Motion>")


DOCUMENTS = {
    **{kind: two_bodies(_named(kind, CONNECTIONS[0] + geometry)) for kind, geometry in GEOMETRY.items()},
    **{kind: arm(_named(kind, f"<Joint>H</Joint>{content}")) for kind, content in MOTORS.items()},
    "Vehicle": car(_named("Vehicle", VEHICLE)),
    "TwistDrive": document(
        "".join(body(ball(name.lower()), name) for name in "ABC"), HINGES, _named("TwistDrive", TWIST)
    ),
    **{kind: _moving(_named(kind, content)) for kind, content in DRIVES.items()},
}
WITHOUT = {"JointBall", "JointFixed"}
"""These have nothing to set."""


def _around(entry: Entry) -> Iterator[tuple[float, float]]:
    """Values at the limits of a field and next to them: as documents have them, and as commands do."""
    kind = entry.kind
    assert isinstance(kind, Number)
    for limit, outside in ((kind.low, -np.inf), (kind.high, np.inf)):
        edge = np.float32(limit)
        for value in (edge, np.nextafter(edge, np.float32(outside)), np.nextafter(edge, np.float32(-outside))):
            yield float(value), float(np.float32(float(value) * kind.scale))


def _document_takes(text: str, kind: str, tag: str, value: float) -> bool:
    """Whether a document may say so."""
    before, start, rest = text.partition(f'<{kind} name="M">')
    inside, end, after = rest.partition(f"</{kind}>")
    left, _, right = inside.partition(f"<{tag}>")
    inside = left + right.partition(f"</{tag}>")[2]
    try:
        read_robot(before + start + inside + f"<{tag}>{value!r}</{tag}>" + end + after)
    except DescriptionError as error:
        assert "out of range" in str(error)
        return False
    return True


def _program_may_set(robot: Robot, number: int, value: float) -> bool:
    try:
        robot.check(("M", number), value)
    except UberSimError:
        return False
    return True


@pytest.mark.parametrize("kind", sorted(DOCUMENTS.keys() - WITHOUT))
def test_what_a_document_may_say_a_program_may_set(kind: str) -> None:
    text = DOCUMENTS[kind]
    with Simulation() as simulation:
        robot = simulation.spawn(text)
        component = robot.components["M"]
        entries = [entry for entry in component.description.entries() if isinstance(entry.kind, Number)]
        commanded = {number: entry for entry in entries for number in entry.numbers.values()}
        assert commanded.keys() == set(component.properties.values())
        for number, entry in commanded.items():
            if (
                kind.startswith("Joint") and number % NEXT_AXIS in STOPS
            ) or entry.tag == "Pose":  # counts its positions
                continue
            for written, sent in _around(entry):
                allowed = _document_takes(text, kind, entry.tag, written)
                assert _program_may_set(robot, number, sent) == allowed, (entry.tag, written)
                if isinstance(component, CommandedJoint):
                    native = component.native_target(number)
                    assert native is not None and (native.low <= sent <= native.high) == allowed, entry.tag


def test_all_joints_motors_and_drives_are_looked_at() -> None:
    families = (JointDescription, MotorDescription, MotionDescription)
    known = {kind for family in families for kind in registry().members(family)}
    assert known - DOCUMENTS.keys() == {"OmniWheel", "Kicker", "MimicMotor", "LearnedDrive"}  # share others' fields


def test_the_narrowest_view_can_be_set() -> None:
    """Single precision has one degree only a little below it."""
    (sensor,) = (cls for tag, cls in registry().components.items() if tag == "CameraSensor")
    (view,) = (entry for entry in sensor.entries() if entry.tag == "Fov")
    low, high = view.kind.limits()
    assert low <= float(np.float32(math.radians(1))) and float(np.float32(math.radians(360))) <= high
