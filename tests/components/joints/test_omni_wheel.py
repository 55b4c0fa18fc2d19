"""Omni wheels with real rollers: round, and a platform on three of them goes wherever its wheels say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lxml import etree

from tests.helpers.documents import ball, body, robot, vector
from tests.helpers.paths import DATA
from ubersim.components.joints.hinge import JointHinge
from ubersim.description import RobotDescription, read_robot, xsd
from ubersim.errors import DescriptionError
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

PLATFORM = (DATA / "omni.xml").read_text()
RADIUS, DISTANCE = 0.05, 0.18
"""Of a wheel, and of the wheels from the platform's middle [m]."""
WHEELS = {"Front": 90.0, "Left": 210.0, "Right": 330.0}
"""Where they are, from +x [degrees]."""


def wheel(name: str = "W", parts: str = "", body1: str = "<Body1>A</Body1>", radius: float = 0.05) -> str:
    """A wheel whose axle is x."""
    sizes = f"<Radius>{radius}</Radius><Mass>0.2</Mass><RollerMass>0.01</RollerMass>"
    if "RollerRadius" not in parts:
        parts += "<RollerRadius>0.012</RollerRadius>"
    place = vector("Axis", 1, 0, 0) + vector("AnchorPos", 0, 0, 0)
    return f'<OmniWheel name="{name}">{body1}{place}{sizes}{parts}</OmniWheel>'


def on_a_ball(joints: str) -> RobotDescription:
    return read_robot(robot(body(ball("a"), "A"), joints))


def drive(platform: Robot, velocity: tuple[float, float], turning: float = 0.0) -> None:
    """Wheel speeds of a velocity [m/s] in the platform's frame; a positive `Vel` turns the platform, not the hub."""
    for name, degrees in WHEELS.items():
        angle = math.radians(degrees)
        along = velocity[0] * math.sin(angle) - velocity[1] * math.cos(angle)  # axle x up
        platform.command(name, "Vel", -(along - turning * DISTANCE) / RADIUS)


def driven(velocity: tuple[float, float], turning: float = 0.0) -> tuple[Array, float]:
    """How the platform moves half a second after a start from rest: velocity in its own frame, and turning."""
    simulation = Simulation()
    platform = simulation.spawn(PLATFORM, position=(0, 0, 0))
    drive(platform, velocity, turning)
    simulation.step(400)
    base = platform.bodies["Base"]
    place, attitude = base.position.copy(), base.rotation.copy()
    simulation.step(500)
    turned = attitude.T @ base.rotation
    return attitude.T @ (base.position - place) / 0.5, math.atan2(turned[1, 0], turned[0, 0]) / 0.5


@pytest.mark.parametrize("degrees", range(0, 360, 30))
def test_it_moves_where_it_is_told(degrees: int) -> None:
    wanted = 0.5 * np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
    velocity, turning = driven((wanted[0], wanted[1]))
    assert np.linalg.norm(velocity[:2] - wanted) < 0.03 * 0.5
    assert abs(turning) < 0.03


def test_it_turns_on_the_spot() -> None:
    velocity, turning = driven((0.0, 0.0), 2.0)
    assert turning == pytest.approx(2.0, rel=0.03)
    assert np.linalg.norm(velocity) < 0.02


def test_the_wheel_is_round() -> None:
    """Between two spheres the circle is cut by a chord: distance * (1 - cos(half of the angle between)), at most."""
    robot = on_a_ball(wheel(parts="<Rollers>8</Rollers><Facets>5</Facets>"))
    solids = [solid for part in robot.bodies if "Roller" in part.name for solid in part.solids]
    deepest = (RADIUS - 0.012) / math.cos(math.pi / 8 * 0.8) * (1 - math.cos(math.pi / 40))
    for angle in np.linspace(0, math.tau, 1000):
        reach = max(solid.extent(np.array([0.0, math.sin(angle), math.cos(angle)])) for solid in solids)
        assert RADIUS - deepest - 1e-9 <= reach <= RADIUS + 1e-9


def test_it_expands_to_a_hub_and_rollers_on_hinges() -> None:
    description = on_a_ball(wheel(parts="<Rollers>6</Rollers><FMax>2</FMax><Vel>3</Vel>"))
    assert [part.name for part in description.bodies] == ["A", "W.Hub", *(f"W.Roller{n}" for n in range(1, 7))]
    assert [joint.name for joint in description.joints] == ["W", *(f"W.Axle{n}" for n in range(1, 7))]
    hinge = description.joints[0]
    assert isinstance(hinge, JointHinge)
    assert (hinge.body1, hinge.body2, hinge.f_max, hinge.vel) == ("A", "W.Hub", 2.0, 3.0)
    assert description.mass_properties().mass == pytest.approx(1 + 0.2 + 6 * 0.01)
    for axle, roller in zip(description.joints[1:], description.bodies[2:], strict=True):
        outward = np.array(axle.anchor)
        assert np.linalg.norm(outward) == pytest.approx(RADIUS - 0.012)
        assert np.dot(axle.axes[0], outward) == pytest.approx(0, abs=1e-12)
        assert axle.axes[0][0] == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(roller.mass_properties().center, outward, atol=1e-9)


def test_editors_know_it() -> None:
    etree.XMLSchema(etree.fromstring(xsd("robot"))).assertValid(etree.fromstring(PLATFORM))


def test_motors_take_its_joint() -> None:
    motor = '<Motors><TorqueMotor name="M"><Joint>W</Joint><Torque>0.1</Torque></TorqueMotor></Motors>'
    text = robot(body(ball("a"), "A"), wheel()).replace("</Entity>", motor + "</Entity>")
    simulation = Simulation()
    alive = simulation.spawn(text, position=(0, 0, 5))
    simulation.step(100)
    assert alive.joints["W"].rate() > 1.0


@pytest.mark.parametrize(
    ("joints", "complaint"),
    [
        (wheel(parts="<Body2>A</Body2>", body1=""), "the wheel's own hub"),
        (wheel(parts="<RollerRadius>0.03</RollerRadius>"), "less than half"),
        (wheel(parts="<RollerRadius>0.003</RollerRadius><Rollers>4</Rollers>"), "too thin for 4 rollers"),
        (wheel(name="n" * 60), "allowed are 48"),
        (wheel() + wheel(name="W.Axle1"), "'W.Axle1' is that of a part of OmniWheel 'W'"),
        ("".join(wheel(name=f"W{n}", parts="<Rollers>32</Rollers>") for n in range(16)), "529 bodies"),
        (wheel(body1=""), "connects nothing"),
    ],
)
def test_wheels_that_cannot_be_are_refused(joints: str, complaint: str) -> None:
    with pytest.raises(DescriptionError, match=complaint):
        on_a_ball(joints)


def test_rollers_do_not_collide_with_each_other_and_a_body_need_not_either() -> None:
    simulation = Simulation()
    simulation.spawn(robot(body(ball("a"), "A") + body(ball("b"), "B")), position=(0, 0, 5), name="solid")
    apart = body("<SelfCollision>false</SelfCollision>" + ball("a"), "A") + body(ball("b"), "B")
    simulation.spawn(robot(apart), position=(3, 0, 5), name="ghost")
    simulation.spawn(robot(body(ball("far"), "A"), wheel()), position=(6, 0, 5), name="wheel")
    simulation.step(1)
    owner_of = {geom.id: geom.owner for geom in simulation.world.geoms}
    owners = {owner_of[int(number)] for number in simulation.world.contacts().b}
    assert simulation.names_of(owners) == ["solid"]
