"""Motors: their limits, and their signs, which are the wire's promise."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers.world_scenes import UNTURNED, add_ball, empty_world, ground_world
from ubersim.geometry import Array
from ubersim.physics import Body, Joint, World
from ubersim.protocol.properties import JOINT_PROPERTIES, NEXT_AXIS

VEL, FMAX = JOINT_PROPERTIES["Vel"], JOINT_PROPERTIES["FMax"]


def two_bodies() -> tuple[World, Body, Body]:
    """Both around the origin, one above the other, without weight."""
    world = empty_world(gravity=(0, 0, 0))
    upper = world.add_body(1, mass=1, inertia=0.1 * np.eye(3), position=(0, 0, 0.3), rotation=UNTURNED)
    lower = world.add_body(1, mass=1, inertia=0.1 * np.eye(3), position=(0, 0, -0.3), rotation=UNTURNED)
    return world, upper, lower


def drive(joint: Joint, axis: int, rate: float, limit: float = 100.0) -> None:
    joint.set(axis * NEXT_AXIS + VEL, rate)
    joint.set(axis * NEXT_AXIS + FMAX, limit)


@pytest.mark.parametrize("time", [0.1, 0.5, 1.0, 3.0])
def test_hinge_motor_gives_no_more_than_its_torque(time: float) -> None:
    world = empty_world()
    wheel = world.add_body(1, mass=5, inertia=np.diag([0.2, 0.1, 0.1]), position=(0, 0, 1), rotation=UNTURNED)
    hinge = world.add_joint(1, "hinge", wheel, None, anchor=(0, 0, 1), axes=[(1, 0, 0)])
    drive(hinge, 0, 10.0, limit=1.5)
    world.run(round(time * 1000))
    assert hinge.rate() == pytest.approx(forms.motor_speed(1.5, 0.2, 10.0, time), rel=1e-6)
    assert wheel.angular_velocity[0] == pytest.approx(hinge.rate())


def test_slider_motor_lifts_only_what_it_can() -> None:
    for force, rises in ((1.01 * 2 * 9.81, True), (0.99 * 2 * 9.81, False)):
        world = empty_world()
        load = world.add_body(1, mass=2, inertia=np.eye(3), position=(0, 0, 0), rotation=UNTURNED)
        slider = world.add_joint(1, "slider", load, None, axes=[(0, 0, 1)])
        drive(slider, 0, 0.2, limit=force)
        world.run(1000)
        wanted = force / 2 - 9.81
        assert load.linear_velocity[2] == pytest.approx(wanted, rel=1e-4)
        assert (slider.position() > 0) is rises
        assert slider.rate() == pytest.approx(load.linear_velocity[2])


def test_stops_hold() -> None:
    world = empty_world()
    load = world.add_body(1, mass=2, inertia=np.eye(3), position=(0, 0, 0), rotation=UNTURNED)
    slider = world.add_joint(1, "slider", load, None, axes=[(0, 0, 1)])
    slider.set(0, -0.25)
    slider.set(1, 0.0)
    world.run(2000)
    assert load.position[2] == pytest.approx(-0.25, abs=1e-4)


def test_feedback_is_the_weight_that_hangs_on_a_joint() -> None:
    world = empty_world()
    load = world.add_body(1, mass=2, inertia=np.eye(3), position=(0, 0, 0), rotation=UNTURNED)
    joint = world.add_joint(1, "fixed", load, None)
    joint.enable_feedback()
    world.run(500)
    assert joint.feedback()[0] == pytest.approx((0, 0, 2 * 9.81), abs=1e-6)


UP, RIGHT, FORWARD = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
TURNS = [
    ("hinge", [UP], 0, UP),
    ("universal", [UP, RIGHT], 0, UP),
    ("universal", [UP, RIGHT], 1, RIGHT),
    ("hinge2", [UP, RIGHT], 0, UP),
    ("hinge2", [UP, RIGHT], 1, RIGHT),
    ("amotor", [UP], 0, UP),
    ("amotor", [RIGHT, UP], 1, UP),
    ("piston", [UP], 1, UP),
    ("pr", [UP, RIGHT], 1, RIGHT),
    ("pu", [RIGHT, FORWARD, UP], 0, RIGHT),
    ("pu", [RIGHT, FORWARD, UP], 1, FORWARD),
]
SLIDES = [
    ("slider", [UP], 0, UP),
    ("lmotor", [UP], 0, UP),
    ("piston", [UP], 0, UP),
    ("pr", [UP, RIGHT], 0, UP),
    ("pu", [RIGHT, FORWARD, UP], 2, UP),
]


def relative(world: World, values: Array, first: Body | None, second: Body | None) -> Array:
    parts = [np.zeros(3) if body is None else values[body.row] for body in (first, second)]
    difference: Array = parts[0] - parts[1]
    return difference


@pytest.mark.parametrize("worldly", ["neither", "first", "second"])
@pytest.mark.parametrize(("kind", "axes", "axis", "about"), TURNS)
def test_positive_rate_turns_the_first_body_about_the_axis(
    kind: str, axes: list[tuple[float, float, float]], axis: int, about: tuple[float, float, float], worldly: str
) -> None:
    world, upper, lower = two_bodies()
    first, second = (None if worldly == "first" else upper), (None if worldly == "second" else lower)
    joint = world.add_joint(1, kind, first, second, anchor=(0, 0, 0), axes=axes)
    drive(joint, axis, 1.0)
    world.run(20)
    assert relative(world, world.angular_velocities, first, second) == pytest.approx(about, abs=0.05)
    assert joint.rate(axis) == pytest.approx(1.0, abs=1e-6)
    if kind != "amotor":
        assert joint.position(axis) == pytest.approx(0.02, abs=2e-3)


@pytest.mark.parametrize("worldly", ["neither", "first", "second"])
@pytest.mark.parametrize(("kind", "axes", "axis", "along"), SLIDES)
def test_positive_rate_moves_the_first_body_along_the_axis(
    kind: str, axes: list[tuple[float, float, float]], axis: int, along: tuple[float, float, float], worldly: str
) -> None:
    world, upper, lower = two_bodies()
    first, second = (None if worldly == "first" else upper), (None if worldly == "second" else lower)
    joint = world.add_joint(1, kind, first, second, anchor=(0, 0, 0), axes=axes)
    drive(joint, axis, 1.0, limit=1000.0)
    world.run(20)
    assert relative(world, world.linear_velocities, first, second) == pytest.approx(along, abs=0.05)
    assert joint.rate(axis) == pytest.approx(1.0, abs=1e-6)
    if kind != "lmotor":
        assert joint.position(axis) == pytest.approx(0.02, abs=2e-3)


def test_driven_steered_wheel_goes_where_it_is_steered() -> None:
    """A car's front wheel as hinge2: axis 1 steers it, axis 2 drives it."""
    world = ground_world()
    car = world.add_body(1, mass=20, inertia=np.eye(3), position=(0, 0, 0.3), rotation=UNTURNED)
    wheels = []
    for x, y in ((-0.3, 0.4), (0.3, 0.4), (-0.3, -0.4), (0.3, -0.4)):
        wheel = world.add_body(1, mass=1, inertia=0.01 * np.eye(3), position=(x, y, 0.2), rotation=UNTURNED)
        world.add_sphere(1, wheel, 0, (x, y, 0.2), UNTURNED, 0.2)
        joint = world.add_joint(1, "hinge2", car, wheel, anchor=(x, y, 0.2), axes=[UP, RIGHT])
        steering = -0.2 if y > 0 else 0.0
        joint.set(0, steering)
        joint.set(1, steering)
        drive(joint, 1, 5.0, limit=3.0)  # the car turns forward about the wheels' axle, so the wheels turn backward
        wheels.append(wheel)
    world.run(2000)
    # The car, being the first body, turns about +x against its wheels: they turn about -x, along +y. Steering is
    # the car's angle against the wheel: negative means that the wheel points to the left, from +y towards -x.
    assert car.linear_velocity[1] > 0.3
    assert car.angular_velocity[2] > 0.1


def test_the_second_axis_of_a_hinge2_has_no_stops() -> None:
    world = empty_world()
    bodies = [add_ball(world, (0, 0, z)) for z in (1, 2)]
    joint = world.add_joint(1, "hinge2", *bodies, anchor=(0, 0, 1), axes=[(0, 0, 1), (1, 0, 0)])
    joint.set(joint.properties["LoStop"], -0.1)
    joint.set(joint.properties["HiStop"], 0.1)
    assert [joint.driven_axis(axis).turns_freely() for axis in (0, 1)] == [False, True]
