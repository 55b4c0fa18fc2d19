"""Motors that make no sense are refused, and no command makes the world lose its bounds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.components.motors.test_motor_laws import DC, alive, servo
from tests.helpers.documents import vector
from tests.helpers.motor_robots import arm, flywheel
from ubersim.description import read_robot
from ubersim.errors import DescriptionError, RemoteProtocolError, UberSimError

HOSTILE = [
    DC.format(voltage=1, more=""),
    DC.format(voltage=1, more="").replace("0.03<", "1e-300<"),
    '<TorqueMotor name="M"><Joint>H</Joint></TorqueMotor>',
    '<VelocityMotor name="M"><Joint>H</Joint><TorqueLimit>1</TorqueLimit></VelocityMotor>',
    '<SpringDamper name="M"><Joint>H</Joint><Stiffness>1</Stiffness></SpringDamper>',
    '<PositionServo name="M"><Joint>H</Joint><Kp>1e-300</Kp><TorqueLimit>1</TorqueLimit></PositionServo>',
    """<Manipulator name="M"><Joint>H</Joint><Poses>0 9e4</Poses><Speed>1</Speed>
      <TorqueLimit>1</TorqueLimit></Manipulator>""",
]


@pytest.mark.parametrize(
    ("motor", "complaint"),
    [
        ('<TorqueMotor name="M"><Joint>X</Joint></TorqueMotor>', "'X' does not exist"),
        ('<TorqueMotor name="M"><Joint>Wheel</Joint></TorqueMotor>', "is a Body"),
        ('<TorqueMotor name="M"><Joint>H</Joint></TorqueMotor><TorqueMotor name="N"><Joint>H</Joint></TorqueMotor>',
         "'M' and 'N' drive the same axis"),
        (DC.format(voltage=1, more="<NoLoadSpeed>900</NoLoadSpeed>"), "which is 800 rad/s"),
        (servo("<Kp>0</Kp>"), "above 0"),
        ('<Manipulator name="M"><Joint>H</Joint><Poses>0 90</Poses><Pose>2</Pose><Speed>9</Speed>'
         "<TorqueLimit>9</TorqueLimit></Manipulator>", "there are 2 poses, the first is 0"),
    ],
)  # fmt: skip
def test_documents_that_make_no_sense_are_refused(motor: str, complaint: str) -> None:
    with pytest.raises(DescriptionError, match=complaint):
        read_robot(flywheel(motor))


@pytest.mark.parametrize(
    ("motor", "complaint"),
    [
        (servo("<Kp>1</Kp>"), "no position that a servo could hold"),
        ('<SpringDamper name="M"><Joint>H</Joint><Stiffness>1</Stiffness></SpringDamper>', "a spring could pull at"),
        ('<Manipulator name="M"><Joint>H</Joint><Poses>0</Poses><Speed>9</Speed><TorqueLimit>9</TorqueLimit>'
         "</Manipulator>", "has no position to go to"),
    ],
)  # fmt: skip
def test_axes_without_a_position_cannot_be_held_at_one(motor: str, complaint: str) -> None:
    """An angular motor turns bodies about its axis, and nothing measures how far."""
    hinge = flywheel(motor)
    start, end = hinge.index("<JointHinge"), hinge.index("</JointHinge>") + len("</JointHinge>")
    axis = vector("Axis1", 1, 0, 0)
    free = hinge[:start] + f'<JointAMotor name="H"><Body1>Wheel</Body1>{axis}</JointAMotor>' + hinge[end:]
    with pytest.raises(UberSimError, match=complaint):
        alive(free)


def test_an_axis_that_a_joint_does_not_have_is_refused_by_the_world() -> None:
    with pytest.raises(UberSimError, match="no motor on axis 2"):
        alive(flywheel('<TorqueMotor name="M"><Joint>H</Joint><Axis>2</Axis></TorqueMotor>'))


def test_values_out_of_range_are_refused() -> None:
    _, robot = alive(flywheel(DC.format(voltage=0, more="")))
    with pytest.raises(RemoteProtocolError, match="Voltage of 'M' cannot be 1e"):
        robot.command("M", "Voltage", 1e9)
    with pytest.raises(UberSimError, match="known are Voltage"):
        robot.command("M", "Torque", 1)
    assert np.isfinite(robot.bodies["Wheel"].position).all()


@pytest.mark.parametrize("motor", HOSTILE)
def test_whatever_is_commanded_the_world_stays_finite(motor: str) -> None:
    """Each property at its bounds, at nothing, and at next to nothing, in all orders that a seed gives."""
    rng = np.random.default_rng(1)
    simulation, robot = alive(arm(motor))
    limits = robot.description.motors[0].limits
    for _ in range(60):
        number = int(rng.choice(list(limits)))
        low, high = limits[number]
        value = min(max(float(rng.choice([low, high, 0.0, 1e-30, 1.0])), low), high)
        robot.command("M", number, value)
        simulation.step(int(rng.integers(1, 30)))
        assert np.isfinite(simulation.world.positions).all()
