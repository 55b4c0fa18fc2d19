"""Damping, dry friction and armature of hinges and sliders, and joints that follow others."""

from __future__ import annotations

import math

import pytest

from tests.helpers.documents import ball, body, robot, vector
from ubersim.description import read_robot
from ubersim.errors import DescriptionError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

INERTIA = 0.2
MASS = 2.0
WEIGHT = (
    f"<Inertia><Mass>{MASS}</Mass>{vector('Center', 0, 0, 0)}"
    f"<Ixx>{INERTIA}</Ixx><Iyy>{INERTIA}</Iyy><Izz>{INERTIA}</Izz></Inertia>"
)
SECONDS = 0.5


def joint(kind: str, content: str, name: str = "j", of: str = "B") -> str:
    place = vector("AnchorPos", 0, 0, 0) + vector("Axis", 0, 1, 0)
    return f'<{kind} name="{name}"><Body1>{of}</Body1>{place}{content}</{kind}>'


def moving(simulation: Simulation, kind: str, content: str, speed: float = 3.0) -> Robot:
    """A body on one joint across gravity, which begins with a speed."""
    made = simulation.spawn(robot(body(WEIGHT), joint(kind, content)), position=(0.0, 0.0, 5.0))
    motion = (0.0, speed, 0.0)
    at_rest = (0.0, 0.0, 0.0)
    slides = kind == "JointSlider"
    made.bodies["B"].set_state(linear=motion if slides else at_rest, angular=at_rest if slides else motion)
    return made


@pytest.mark.parametrize(("kind", "inertia"), [("JointHinge", INERTIA), ("JointSlider", MASS)])
def test_damping_brakes_as_an_exponential(kind: str, inertia: float) -> None:
    with Simulation(step=0.001) as simulation:
        made = moving(simulation, kind, "<Damping>0.4</Damping>")
        simulation.step(round(SECONDS / 0.001))
        assert made.joints["j"].rate() == pytest.approx(3 * math.exp(-0.4 / inertia * SECONDS), rel=2e-3)


def test_no_damping_is_too_strong() -> None:
    with Simulation(step=0.01) as simulation:
        made = moving(simulation, "JointHinge", "<Damping>1e6</Damping>")
        simulation.step(10)
        assert abs(made.joints["j"].rate()) < 1e-3


@pytest.mark.parametrize(("kind", "inertia"), [("JointHinge", INERTIA), ("JointSlider", MASS)])
def test_dry_friction_brakes_evenly_and_holds(kind: str, inertia: float) -> None:
    with Simulation(step=0.001) as simulation:
        made = moving(simulation, kind, "<Friction>0.6</Friction>", speed=0.9)
        simulation.step(200)
        assert made.joints["j"].rate() == pytest.approx(0.9 - 0.6 / inertia * 0.2, abs=2e-3)
        simulation.step(4000)
        assert made.joints["j"].rate() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("kind", "inertia"), [("JointHinge", INERTIA), ("JointSlider", MASS)])
def test_armature_adds_to_the_inertia_of_its_axis_alone(kind: str, inertia: float) -> None:
    motor = '<Motors><TorqueMotor name="m"><Joint>j</Joint><Torque>0.5</Torque></TorqueMotor></Motors></Entity>'
    text = robot(body(WEIGHT), joint(kind, "<Armature>0.3</Armature>")).replace("</Entity>", motor)
    with Simulation(step=0.001) as simulation:
        made = simulation.spawn(text, position=(0.0, 0.0, 5.0))
        simulation.step(400)
        assert made.joints["j"].rate() == pytest.approx(0.5 / (inertia + 0.3) * 0.4, rel=1e-6)
        made.command("m", "Torque", 0.0)
        rate = made.joints["j"].rate()
        simulation.step(400)
        assert made.joints["j"].rate() == pytest.approx(rate, rel=1e-2), "a rotor keeps its momentum"


def test_a_joint_follows_another() -> None:
    bodies = body(WEIGHT, "B") + body(WEIGHT, "C")
    joints = joint("JointHinge", "<Vel>1</Vel><FMax>50</FMax>") + joint("JointHinge", "", "k", "C")
    follow = "<Joint>k</Joint><Leader>j</Leader><Factor>-0.5</Factor><Offset>10</Offset>"
    motors = f'<Motors><MimicMotor name="m">{follow}</MimicMotor></Motors></Entity>'
    with Simulation(step=0.001) as simulation:
        made = simulation.spawn(robot(bodies, joints).replace("</Entity>", motors), position=(0.0, 0.0, 5.0))
        simulation.step(1000)
        leader, follower = made.joints["j"].position(), made.joints["k"].position()
        assert leader == pytest.approx(1.0, abs=0.01)
        assert follower == pytest.approx(-0.5 * leader + math.radians(10), abs=1e-3)


def test_only_a_joint_with_positions_is_followed() -> None:
    bodies = body(WEIGHT, "B") + body(WEIGHT, "C")
    joints = joint("JointHinge", "") + f'<JointAMotor name="k"><Body1>C</Body1>{vector("Axis1", 1, 0, 0)}</JointAMotor>'
    for own, leader in (("j", "k"), ("k", "j")):
        motor = f'<MimicMotor name="m"><Joint>{own}</Joint><Leader>{leader}</Leader></MimicMotor>'
        document = robot(bodies, joints).replace("</Entity>", f"<Motors>{motor}</Motors></Entity>")
        with (
            Simulation() as simulation,
            pytest.raises(UberSimError, match=f"m: joints '{own}' and '{leader}' need pos"),
        ):
            simulation.spawn(document)


def test_nothing_of_it_is_negative() -> None:
    with pytest.raises(DescriptionError, match="Damping: '-1' is out of range"):
        read_robot(robot(body(ball("a")), joint("JointHinge", "<Damping>-1</Damping>")))
