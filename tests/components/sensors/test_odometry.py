"""Dead reckoning: right while the wheels roll, wrong by just their slip when they do not."""

import math

import numpy as np
import pytest

from tests.helpers.documents import body, robot, vector
from tests.helpers.sensor_stage import sensor, settings, simulation
from ubersim.errors import DescriptionError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

RADIUS, TRACK = 0.1, 0.5


def wheel(name: str, x: float, material: str) -> str:
    shape = (
        f'<Sphere name="{name}Shape">{vector("Position", x, 0, 0)}<Mass>1</Mass><Radius>{RADIUS}</Radius>'
        f"<Material>{material}</Material></Sphere>"
    )
    return body(shape, name)


def motor(name: str, first: str, second: str, axis: float, x: float) -> str:
    place = vector("Axis", axis, 0, 0) + vector("AnchorPos", x, 0, 0)
    return (
        f'<JointHinge name="{name}"><Body1>{first}</Body1><Body2>{second}</Body2>{place}<FMax>0.8</FMax></JointHinge>'
    )


def cart(inside: str = "", material: str = "Rubber") -> str:
    """A differential drive on two wheels and two frictionless skids; its hinges are set up as differently as may be."""
    skids = "".join(
        f'<Sphere name="Skid{y}">{vector("Position", 0, y, -0.05)}<Mass>0.5</Mass><Radius>0.05</Radius>'
        "<Material>Ice</Material></Sphere>"
        for y in (-0.2, 0.2)
    )
    wheels = f"<WheelRadius>{RADIUS}</WheelRadius><Track>{TRACK}</Track>"
    names = "<LeftWheel>LMotor</LeftWheel><RightWheel>RMotor</RightWheel>"
    base = (
        f'<Box name="Base">{vector("Position", 0, 0, 0)}<Mass>4</Mass><XSize>0.3</XSize><YSize>0.3</YSize>'
        "<ZSize>0.05</ZSize><Material>Ice</Material></Box>"
    )
    odometry = sensor("OdometrySensor", "O", wheels + names + inside)
    bodies = body(base + skids + odometry, "Base_") + wheel("L", -TRACK / 2, material) + wheel("R", TRACK / 2, material)
    joints = motor("LMotor", "L", "Base_", -1, -TRACK / 2) + motor("RMotor", "Base_", "R", -1, TRACK / 2)
    return robot(bodies, joints, settings())


def driven(left: float, right: float, inside: str = "", material: str = "Rubber") -> tuple[Simulation, Robot]:
    """The cart with both wheels turning forwards [rad/s]; the right hinge is turned round twice."""
    here = simulation(ground=True)
    found = here.spawn(cart(inside, material), position=(1, 2, RADIUS), heading=0.5)
    here.step(200)
    found.command("LMotor", "Vel", left)
    found.command("RMotor", "Vel", -right)
    return here, found


def read(found: Robot) -> list[float]:
    value = found.read("O")
    assert isinstance(value, np.ndarray)
    return [float(part) for part in value]


def truth(found: Robot) -> list[float]:
    """x, y and heading of the base, seen from where it began."""
    base = found.bodies["Base_"]
    away = base.position - [1, 2, 0]
    x, y = math.cos(0.5) * away[0] + math.sin(0.5) * away[1], -math.sin(0.5) * away[0] + math.cos(0.5) * away[1]
    return [x, y, math.atan2(-base.rotation[0, 1], base.rotation[1, 1]) - 0.5]


def test_straight_ahead() -> None:
    here, found = driven(5, 5)
    here.step(4000)
    assert read(found) == pytest.approx(truth(found), abs=5e-3)
    assert 1.5 < read(found)[1] < 2.0


def test_in_a_circle() -> None:
    """Wheels at 4 and 6 rad/s, whose ways are 0.4 and 0.6 m/s: once they run, 0.4 rad/s."""
    here, found = driven(4, 6)
    here.step(3000)
    heading = read(found)[2]
    here.step(2000)
    assert read(found)[2] - heading == pytest.approx(0.4 * 2, rel=1e-3)
    assert read(found) == pytest.approx(truth(found), abs=0.01)


def test_many_turns_between_two_slow_readings() -> None:
    """At 2 Hz and 40 rad/s the wheels turn three times between readings."""
    here, found = driven(40, 40, "<Frequency>2</Frequency>")
    here.step(7800)  # the frame of a reading
    assert here.frame == 8000
    assert read(found)[1] == pytest.approx(truth(found)[1], rel=2e-3)
    assert read(found)[1] > 10


def test_where_wheels_slip_it_errs() -> None:
    """On ice the wheels turn on the spot: the odometer believes them, the robot hardly moves."""
    here, found = driven(50, 50, material="Ice")
    here.step(1000)
    assert read(found)[1] > 1
    assert abs(truth(found)[1]) < 0.5 * read(found)[1]


def test_encoders_have_steps() -> None:
    """The left wheel alone turns, and turns the cart to the right: the heading goes in steps of a tick."""
    here, found = driven(0.5, 0.0, "<Resolution>0.1</Resolution>")
    headings = set()
    for _ in range(1000):
        here.step()
        headings.add(round(read(found)[2] / (0.1 * RADIUS / TRACK), 3))
    assert headings <= {float(-tick) for tick in range(-1, 7)} and len(headings) >= 4


def test_wheels_have_to_be_joints_with_angles() -> None:
    with pytest.raises(DescriptionError, match=r"LeftWheel: joint 'Base' is a Box"):
        simulation().spawn(cart().replace("<LeftWheel>LMotor", "<LeftWheel>Base"))
    with pytest.raises(UberSimError, match="'LMotor' has no angle about an axis 2"):
        simulation().spawn(cart("<WheelAxis>2</WheelAxis>"))


def test_wheels_are_named_in_one_way() -> None:
    with pytest.raises(DescriptionError, match="give LeftWheel and RightWheel, or Wheels, not both"):
        simulation().spawn(cart("<Wheels>LMotor RMotor CMotor</Wheels>"))
