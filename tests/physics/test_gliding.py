"""Trees of bodies that touch nothing and are driven by nothing: their smooth motion is followed to fourth order."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers import integrals
from tests.helpers.world_scenes import GRAVITY, empty_world
from ubersim.geometry import Array, Triple, rotation_about
from ubersim.physics import Body, Joint, World
from ubersim.protocol.properties import AXIS_PROPERTIES

WEIGHTLESS: Triple = (0.0, 0.0, 0.0)
AXES: dict[str, list[Triple]] = {
    "ball": [],
    "hinge": [(0, 1, 0)],
    "hinge2": [(0, 0, 1), (1, 0, 0)],
    "slider": [(0, 1, 1)],
    "universal": [(1, 0, 0), (0, 1, 0)],
    "fixed": [],
    "piston": [(0, 0, 1)],
    "pr": [(0, 0, 1), (0, 1, 0)],
    "pu": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
}
"""Of every kind of joint that holds bodies together."""


def pair(kind: str, step: float = 0.001) -> World:
    """Two bodies of different moments on one joint, turning fast and in different ways as far as it lets them."""
    world = empty_world(step, gravity=WEIGHTLESS)
    one = world.add_body(1, mass=2, inertia=np.diag([0.02, 0.03, 0.04]), position=(0, 0, 0), rotation=np.eye(3))
    other = world.add_body(
        1, mass=1, inertia=np.diag([0.01, 0.012, 0.02]), position=(0.3, 0.1, 0.2), rotation=np.eye(3)
    )
    anchor = None if kind in ("slider", "fixed") else (0.1, 0.0, 0.15)
    world.add_joint(1, kind, one, other, anchor=anchor, axes=AXES[kind])
    one.set_state(angular=(3.0, -4.0, 5.0))
    other.set_state(linear=(0.3, 1.0, -0.4), angular=(-2.0, 6.0, 1.0))
    world.run(
        round(0.1 / step)
    )  # velocities that the joint does not allow are gone, and so are the errors that they left
    return world


def spin_of(body: Body) -> Array:
    """Angular momentum about its own centre."""
    inertia = {2.0: np.diag([0.02, 0.03, 0.04]), 1.0: np.diag([0.01, 0.012, 0.02])}[body.mass]
    result: Array = body.rotation @ inertia @ body.rotation.T @ body.angular_velocity
    return result


def kept(world: World) -> Array:
    """Energy, momentum and angular momentum: what a system left to itself keeps."""
    energy, momentum, spin = 0.0, np.zeros(3), np.zeros(3)
    for body in world.bodies:
        energy += 0.5 * body.mass * float(body.linear_velocity @ body.linear_velocity)
        energy += 0.5 * float(body.angular_velocity @ spin_of(body))
        momentum = momentum + body.mass * body.linear_velocity
        spin = spin + np.cross(body.position, body.mass * body.linear_velocity) + spin_of(body)
    return np.concatenate([[energy], momentum, spin])


@pytest.mark.parametrize("kind", AXES)
def test_joints_keep_energy_and_momenta(kind: str) -> None:
    world = pair(kind)
    before = kept(world)
    world.run(500)
    assert kept(world) == pytest.approx(before, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("kind", ["hinge", "universal", "slider"])
def test_errors_shrink_with_the_fourth_power_of_the_step(kind: str) -> None:
    errors = []
    for step in (0.008, 0.004):
        world = pair(kind, step)
        before = kept(world)[0]
        world.run(round(0.4 / step))
        errors.append(abs(kept(world)[0] - before))
    assert errors[1] < errors[0] / 12


def test_a_pendulums_hinge_carries_its_weight_and_its_centrifugal_force() -> None:
    """Down from the horizontal: three times the weight at the lowest point, whatever the length of a point pendulum."""
    world = empty_world(0.001)
    bob = world.add_body(1, mass=2, inertia=1e-9 * np.eye(3), position=(0.5, 0, 0), rotation=np.eye(3))
    hinge = world.add_joint(1, "hinge", bob, None, anchor=(0, 0, 0), axes=[(0, 1, 0)])
    hinge.enable_feedback()
    while bob.position[0] > 0:
        world.run()
    force, *_ = hinge.feedback()
    assert force[2] == pytest.approx(3 * 2 * GRAVITY, rel=1e-4)


def test_a_rotor_counts_as_inertia() -> None:
    """A pendulum whose hinge drives a rotor swings as one with the larger moment."""
    world = empty_world(0.001)
    bob = world.add_body(1, mass=1, inertia=0.01 * np.eye(3), position=(0, 0, -0.5), rotation=np.eye(3))
    hinge = world.add_joint(1, "hinge", bob, None, anchor=(0, 0, 0), axes=[(1, 0, 0)])
    hinge.resist(0.0, 0.0, 0.2)
    bob.set_state(angular=(0.1, 0, 0), linear=(0, 0.05, 0))
    moment = 0.01 + 0.25 + 0.2
    rate = math.sqrt(GRAVITY * 0.5 / moment)
    world.run(300)
    assert hinge.position() == pytest.approx(0.1 / rate * math.sin(rate * 0.3), rel=1e-3)


def test_a_wheel_on_an_arm_goes_round_and_stays_level() -> None:
    mass, arm, axial, spin = 1.0, 0.3, 0.005, 200.0
    rate = GRAVITY * mass * arm / (axial * spin)
    world = empty_world(0.001)
    wheel = world.add_body(
        1, mass=mass, inertia=np.diag([axial, 0.0025, 0.0025]), position=(arm, 0, 0), rotation=np.eye(3)
    )
    world.add_joint(1, "ball", wheel, None, anchor=(0, 0, 0))
    wheel.set_state(angular=(spin, 0, rate), linear=(0, rate * arm, 0))
    world.run(2000)
    x, y, z = wheel.position
    assert z == pytest.approx(0.0, abs=1e-5)
    assert math.remainder(math.atan2(y, x) - 2 * rate, math.tau) == pytest.approx(0.0, abs=1e-4)


def test_a_double_pendulum_is_where_the_equations_say() -> None:
    mass, arm, moment = 1.0, 0.5, 0.01
    world = empty_world(0.001)
    bodies = [
        world.add_body(1, mass=mass, inertia=moment * np.eye(3), position=(place, 0, 0), rotation=np.eye(3))
        for place in (arm, 3 * arm)
    ]
    world.add_joint(1, "hinge", bodies[0], None, anchor=(0, 0, 0), axes=[(0, 1, 0)])
    world.add_joint(1, "hinge", bodies[1], bodies[0], anchor=(2 * arm, 0, 0), axes=[(0, 1, 0)])
    world.run(2000)
    first, second = integrals.double_pendulum(mass, moment, arm, 2.0)
    x = 2 * arm * math.cos(first) + arm * math.cos(second)
    z = -2 * arm * math.sin(first) - arm * math.sin(second)
    assert bodies[1].position == pytest.approx((x, 0, z), abs=1e-6)


def driven_pair(world: World) -> tuple[Body, Body, Joint]:
    """A body that turns a flywheel by a motor."""
    one = world.add_body(1, mass=2, inertia=0.02 * np.eye(3), position=(0, 0, 10), rotation=np.eye(3))
    other = world.add_body(1, mass=1, inertia=0.01 * np.eye(3), position=(0.2, 0, 10), rotation=np.eye(3))
    hinge = world.add_joint(1, "hinge", one, other, anchor=(0.1, 0, 10), axes=[(0, 0, 1)])
    hinge.set(AXIS_PROPERTIES["Vel"], 10.0)
    hinge.set(AXIS_PROPERTIES["FMax"], 0.5)
    return one, other, hinge


def test_the_centre_of_mass_of_a_robot_that_flies_falls_by_the_formula() -> None:
    world = empty_world(0.001)
    one, other, _ = driven_pair(world)
    world.run(500)
    centre = (2 * one.position + other.position) / 3
    assert centre == pytest.approx((0.2 / 3, 0, 10 - GRAVITY * 0.25 / 2), abs=1e-11)


def test_a_suspension_swings_as_the_formula_says() -> None:
    mass, stiffness, damping, step = 1.0, 4000.0, 20.0, 0.001
    world = empty_world(step)
    body = world.add_body(1, mass=mass, inertia=0.01 * np.eye(3), position=(0, 0, 0), rotation=np.eye(3))
    joint = world.add_joint(1, "hinge2", body, None, anchor=(0, 0, 0), axes=[(0, 0, 1), (1, 0, 0)])
    total = step * stiffness + damping
    joint.set(AXIS_PROPERTIES["SuspensionERP"], step * stiffness / total)
    joint.set(AXIS_PROPERTIES["SuspensionCFM"], 1 / total)
    worst = 0.0
    for frame in range(1, 500):
        world.run()
        wanted = forms.damped_oscillation(mass, stiffness, damping, frame * step)
        worst = max(worst, abs(float(body.position[2]) - wanted))
    assert worst < 0.08e-3  # of 2.45 mm; velocities are half a step ahead of places


def test_a_spring_stiffer_than_the_step_comes_to_rest() -> None:
    world = empty_world(0.001)
    body = world.add_body(1, mass=0.01, inertia=1e-4 * np.eye(3), position=(0, 0, 0), rotation=rotation_about(2, 0.3))
    joint = world.add_joint(1, "hinge2", body, None, anchor=(0, 0, 0), axes=[(0, 0, 1), (1, 0, 0)])
    joint.set(AXIS_PROPERTIES["SuspensionERP"], 0.5)
    joint.set(AXIS_PROPERTIES["SuspensionCFM"], 1e-3)  # 5e5 N/m: it would swing at 7000 rad/s
    world.run(30)
    assert body.position[2] == pytest.approx(-0.01 * GRAVITY / 5e5, rel=1e-3)
    assert abs(float(body.linear_velocity[2])) < 1e-9


def test_a_step_depends_on_the_state_alone() -> None:
    """After a snapshot is put back, and whoever else solves other islands, the bits are the same."""
    world, crowded = pair("universal"), pair("universal")
    for place in (100.0, 200.0):
        body = crowded.add_body(2, mass=1, inertia=np.eye(3), position=(place, 0, 0), rotation=np.eye(3))
        crowded.add_joint(2, "ball", body, None, anchor=(place, 0, 1))
    crowded.use_threads(2)
    snapshot = world.snapshot()
    world.run(200)
    crowded.run(200)
    wanted = world.digest()
    world.restore(snapshot)
    world.run(200)
    assert world.digest() == wanted
    assert crowded.positions[:2].tolist() == world.positions.tolist()
