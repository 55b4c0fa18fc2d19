"""What the physics world offers to sensors: bundles of rays, efforts along joints' axes, felt contacts."""

import numpy as np
import pytest

from tests.helpers.rays import cast
from tests.helpers.sensor_stage import sensor, simulation, spawned, sphere
from ubersim.components.native_forms import NativelySampled
from ubersim.description import Surface
from ubersim.errors import WorldError
from ubersim.geometry import quaternion_from_matrix, rotation_xyz
from ubersim.physics import Body, RayBatch, World

X, Y, Z = np.eye(3)


def empty(gravity: float = 0.0) -> World:
    return World(0.001, surfaces=[[Surface(mu=0.5)]], gravity=(0, 0, -gravity))


def ball(world: World, owner: int = 1, at: tuple[float, float, float] = (0, 0, 0), mass: float = 1.0) -> Body:
    body = world.add_body(owner, mass=mass, inertia=0.1 * np.eye(3), position=at, rotation=np.eye(3))
    world.add_sphere(owner, body, 0, at, np.eye(3), 0.1)
    return body


def test_a_bundle_hits_what_single_rays_hit() -> None:
    world = empty()
    carrier = ball(world)
    for place in range(10):
        ball(world, 2, (np.cos(place), np.sin(place), 0.1 * place))
    carrier.set_state((0.1, 0.2, 0.3), quaternion_from_matrix(rotation_xyz((0.1, 0.2, 0.3))))
    directions = np.random.default_rng(1).standard_normal((500, 3))
    bundle = RayBatch(carrier, (0.0, 0.05, 0.1), directions, 5.0, ignore_body=carrier)
    hits = bundle.cast()
    turned = directions @ carrier.rotation.T
    origin = carrier.position + carrier.rotation @ [0, 0.05, 0.1]
    expected = cast(world, np.tile(origin, (500, 1)), turned, 5.0, ignore_body=carrier)
    assert bundle.directions == pytest.approx(turned)
    assert hits.distances == pytest.approx(expected.distances) and np.array_equal(hits.geoms, expected.geoms)
    assert 10 < np.isfinite(hits.distances).sum() < 480


def test_a_bundle_ends_with_its_body() -> None:
    world = empty()
    bundle = RayBatch(ball(world), (0, 0, 0), [(1, 0, 0)], 5.0)
    world.remove(1)
    with pytest.raises(WorldError, match="removed"):
        bundle.cast()


@pytest.mark.parametrize(
    ("kind", "axes", "axis"),
    [
        ("hinge", [Z], 0), ("slider", [Z], 0), ("universal", [X, Z], 0), ("universal", [X, Z], 1),
        ("hinge2", [Z, X], 1), ("amotor", [X, Y, Z], 2), ("lmotor", [X, Y, Z], 1), ("piston", [Z], 0),
        ("piston", [Z], 1), ("pr", [X, Z], 0), ("pr", [X, Z], 1),
        ("pu", [X, Z, Y], 0), ("pu", [X, Z, Y], 1), ("pu", [X, Z, Y], 2),
    ],
)  # fmt: skip
def test_a_motor_that_cannot_reach_its_speed_exerts_its_limit(kind: str, axes: list[np.ndarray], axis: int) -> None:
    world = empty()
    joint = world.add_joint(1, kind, ball(world), ball(world, at=(0, 0, 1)), anchor=(0, 0, 0), axes=axes)
    joint.enable_feedback()
    joint.set(axis * 0x100 + 2, -1000.0)
    joint.set(axis * 0x100 + 3, 0.25)
    world.run(3)
    assert joint.effort(axis) == pytest.approx(-0.25, rel=1e-3)
    assert joint.rate(axis) < 0
    assert np.linalg.norm(joint.axis(axis)) == pytest.approx(1)


@pytest.mark.parametrize(("kind", "axes", "axis"), [("slider", [Z], 0), ("pr", [X, Z], 0), ("pu", [X, Z, Y], 2)])
def test_rates_are_those_of_positions(kind: str, axes: list[np.ndarray], axis: int) -> None:
    world = empty()
    joint = world.add_joint(1, kind, ball(world), ball(world, at=(0, 0, 1)), anchor=(0, 0, 0), axes=axes)
    joint.set(axis * 0x100 + 2, -0.5)
    joint.set(axis * 0x100 + 3, 100.0)
    world.run(100)
    before = joint.position(axis)
    world.run(10)
    assert joint.rate(axis) == pytest.approx((joint.position(axis) - before) / 0.01, rel=1e-2)
    assert joint.rate(axis) == pytest.approx(-0.5, rel=1e-2)


def test_axes_turn_with_their_bodies() -> None:
    world = empty()
    body = ball(world)
    joint = world.add_joint(1, "hinge", body, None, anchor=(0, 0, 0), axes=[Z])
    body.set_state(quaternion=quaternion_from_matrix(rotation_xyz((np.pi / 2, 0, 0))))
    assert joint.axis() == pytest.approx([0, -1, 0], abs=1e-9)


def test_velocities_before_a_step_are_those_that_it_changed() -> None:
    world = empty(gravity=10)
    body = ball(world)
    assert body.velocities_before().tolist() == [0] * 6
    world.run(5)
    before = body.velocities_before()
    assert before[2] == pytest.approx(-0.04) and body.linear_velocity[2] == pytest.approx(-0.05)
    body.set_state(linear=(7, 0, 0), angular=(0, 0, 3))
    world.run(1)
    assert body.velocities_before().tolist() == [7, 0, 0, 0, 0, 3]  # a body that is put elsewhere was not pushed there


def test_forces_are_felt_by_both_and_by_those_who_want_to_alone() -> None:
    """Two balls on top of each other, on the ground."""
    world = empty(gravity=10)
    world.add_plane(0, 0, (0, 0, 1), 0)
    low, high = ball(world, 1, (0, 0, 0.1), 2.0), ball(world, 2, (0, 0, 0.3), 3.0)
    low.feel()
    world.run(1000)
    ground, above = low.touches().forces
    assert ground == pytest.approx([0, 0, 50], abs=0.05) and above == pytest.approx([0, 0, -30], abs=0.05)
    assert len(high.touches().geoms) == 1  # the same contact, whose force is kept anyway
    assert high.touches().forces[0] == pytest.approx(-above)


def test_more_contacts_than_expected_are_all_told() -> None:
    world = empty(gravity=10)
    plate = world.add_body(1, mass=1.0, inertia=np.eye(3), position=(0, 0, 0), rotation=np.eye(3))
    for place in range(30):
        world.add_sphere(1, plate, 0, (place % 6, place // 6, 0), np.eye(3), 0.1)
    world.add_plane(0, 0, (0, 0, 1), -0.0999)
    plate.feel()
    world.run(1)
    assert len(plate.touches().geoms) == 30


@pytest.mark.parametrize("device", [
    sensor("SonarSensor", "S", "<Range>5</Range><Incidence>30</Incidence>"),
    sensor("ImuSensor", "S", "<OrientationNoise>1</OrientationNoise>"),
])  # fmt: skip
def test_what_the_kernel_cannot_do_python_does(device: str) -> None:
    robot = spawned(simulation(), sphere("s") + device)
    reader = robot.sensors["S"].reader
    assert isinstance(reader, NativelySampled) and reader.native() is None
