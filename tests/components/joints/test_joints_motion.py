"""Joints in motion: pistons and combined sliders move as their axes say, stops hold, springs settle."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.documents import two_bodies, vector
from tests.helpers.motor_robots import car
from ubersim.geometry import Array
from ubersim.simulation import Simulation

MOTORS = "<Vel>0</Vel><FMax>1e5</FMax><Vel2>0</Vel2><FMax2>1e5</FMax2>"
DRIVEN = {
    "JointPiston": [("slide", (0, 0, 1)), ("turn", (0, 0, 1))],
    "JointPR": [("slide", (0, 0, 1)), ("turn", (1, 0, 0))],
    "JointPU": [("turn", (1, 0, 0)), ("turn", (0, 1, 0)), ("slide", (0, 0, 1))],
}
"""What each axis does, and which way it points."""


def jointed(kind: str) -> str:
    axes = [vector(f"Axis{place + 1}", *direction) for place, (_, direction) in enumerate(DRIVEN[kind])]
    geometry = vector("Axis", 0, 0, 1) if kind == "JointPiston" else "".join(axes)
    third = "<Vel3>0</Vel3><FMax3>1e5</FMax3>" if kind == "JointPU" else ""
    place = vector("AnchorPos", 0, 0, 0)
    return two_bodies(f'<{kind} name="j"><Body1>A</Body1><Body2>B</Body2>{geometry}{place}{MOTORS}{third}</{kind}>')


@pytest.mark.parametrize(("kind", "axis"), [(kind, axis) for kind in DRIVEN for axis in range(len(DRIVEN[kind]))])
def test_every_axis_does_what_it_says_and_keeps_its_sign(kind: str, axis: int) -> None:
    what, direction = DRIVEN[kind][axis]
    simulation = Simulation()
    robot = simulation.spawn(jointed(kind), position=(0, 0, 5))
    robot.command("j", f"Vel{axis + 1 if axis else ''}", 0.5)
    simulation.step(100)
    upper, lower = robot.bodies["A"], robot.bodies["B"]
    moved: Array = upper.linear_velocity - lower.linear_velocity
    turned: Array = upper.angular_velocity - lower.angular_velocity
    wanted = 0.5 * np.array(direction, dtype=float)
    np.testing.assert_allclose(moved, wanted if what == "slide" else 0, atol=1e-3)
    np.testing.assert_allclose(turned, wanted if what == "turn" else 0, atol=1e-3)
    assert robot.joints["j"].rate(axis) == pytest.approx(0.5, rel=1e-6)
    assert robot.joints["j"].position(axis) == pytest.approx(0.05, rel=1e-3)


def test_stops_of_a_second_axis_hold() -> None:
    simulation = Simulation()
    robot = simulation.spawn(jointed("JointPR"), position=(0, 0, 5))
    robot.command("j", "HiStop2", 0.3)
    robot.command("j", "LoStop2", -0.3)
    robot.command("j", "Vel2", 2.0)
    simulation.step(1000)
    assert robot.joints["j"].position(1) == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("stiffness", [500.0, 2000.0])
def test_suspension_settles_at_load_over_stiffness(stiffness: float) -> None:
    """ERP = h K / (h K + D) and CFM = 1 / (h K + D) make a spring K and a damper D of a Hinge-2's first axis."""
    step, damping, sprung = 0.001, 40.0, 8.0
    erp, cfm = step * stiffness / (step * stiffness + damping), 1 / (step * stiffness + damping)
    locked = "<LoStop>0</LoStop><HiStop>0</HiStop>"
    spring = f"{locked}<SuspensionERP>{erp!r}</SuspensionERP><SuspensionCFM>{cfm!r}</SuspensionCFM>"
    simulation = Simulation(step=step)
    robot = simulation.spawn(car("", spring))
    hull, wheels = robot.bodies["Car"], [robot.bodies[f"W{place}"] for place in ("FL", "FR", "RL", "RR")]
    drawn = hull.position[2] - wheels[0].position[2]
    simulation.step(3000)
    for wheel in wheels:
        deflection = drawn - (hull.position[2] - wheel.position[2])
        assert deflection == pytest.approx(sprung * 9.81 / 4 / stiffness, rel=2e-3)


def test_a_linear_motor_drives_along_its_axes_and_leaves_the_rest_free() -> None:
    """A thruster against gravity: it holds the speed along its axis, and the other directions know nothing of it."""
    motor = (
        f'<JointLMotor name="T"><Body1>A</Body1>{vector("Axis1", 0, 0, 1)}<Vel>0.5</Vel><FMax>50</FMax></JointLMotor>'
    )
    simulation = Simulation()
    robot = simulation.spawn(two_bodies(motor), position=(0, 0, 5))
    driven, falling = robot.bodies["A"], robot.bodies["B"]
    driven.set_state(linear=(1.0, 0.0, 0.0), angular=(0.0, 0.0, 2.0))
    falling.set_state(position=(5.0, 0.0, 5.0))
    simulation.step(200)
    np.testing.assert_allclose(driven.linear_velocity, (1.0, 0.0, 0.5), atol=1e-6)
    np.testing.assert_allclose(driven.angular_velocity, (0.0, 0.0, 2.0), atol=1e-6)
    assert falling.linear_velocity[2] == pytest.approx(-9.81 * 0.2)
    robot.command("T", "FMax", 4.81)  # its weight is 9.81 N
    simulation.step(200)
    assert driven.linear_velocity[2] == pytest.approx(0.5 - 5.0 * 0.2, abs=1e-6)
