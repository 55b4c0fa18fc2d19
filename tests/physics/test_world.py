"""The world as others use it: handles, rows, collisions, rays, contacts, joint properties, refusals."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from tests.helpers.rays import cast
from tests.helpers.world_scenes import UNTURNED, add_ball, add_box, add_robot, empty_world, ground_world
from ubersim.description.materials import Surface
from ubersim.errors import ExplodedError, WorldError
from ubersim.physics import KINDS, CollisionMesh, Joint, RayBatch, World
from ubersim.protocol.properties import JOINT_PROPERTIES


def test_arrays_show_the_bodies_in_order_of_creation() -> None:
    world = empty_world()
    for place in range(200):  # past the first capacity
        add_ball(world, (place, 0, 0))
    assert world.positions[:, 0].tolist() == list(range(200))
    assert world.quaternions.tolist() == [[1, 0, 0, 0]] * 200
    assert world.rotations.shape == (200, 3, 3)
    assert all(array.flags.c_contiguous for array in (world.positions, world.rotations, world.linear_velocities))


def test_views_follow_the_world_without_copies() -> None:
    world = empty_world()
    body = add_ball(world, (0, 0, 5))
    view = world.positions
    world.run(10)
    assert view[0, 2] < 5
    body.set_state(position=(1, 2, 3), linear=(0, 0, 1))
    assert view[0].tolist() == [1, 2, 3]
    assert world.positions is view


def test_old_views_outlive_their_world() -> None:
    world = empty_world()
    add_ball(world, (1, 2, 3))
    view = world.positions
    for _ in range(100):
        add_ball(world, (0, 0, 0))
    del world
    assert view[0].tolist() == [1, 2, 3]


def test_rows_close_up_when_others_leave() -> None:
    world = ground_world()
    one, two, three = (add_ball(world, (place, 0, 1), owner=owner) for place, owner in ((0, 1), (3, 2), (6, 3)))
    world.remove(2)
    assert (one.row, two.row, three.row) == (0, -1, 1)
    world.run(5)
    assert three.position[0] == 6.0
    with pytest.raises(WorldError, match="removed"):
        two.add_force((1, 0, 0))
    with pytest.raises(WorldError, match="removed"):
        _ = two.position


def test_removal_takes_joints_that_hang_on_the_removed() -> None:
    world = empty_world()
    mine, yours = add_ball(world, (0, 0, 0), owner=1), add_ball(world, (1, 0, 0), owner=2)
    joint = world.add_joint(1, "fixed", mine, yours)
    world.remove(2)
    assert world.joints == []
    with pytest.raises(WorldError, match="removed"):
        joint.feedback()
    world.run(5)


def test_several_steps_in_one_call_are_the_same_steps() -> None:
    one, many = ground_world(), ground_world()
    for world in (one, many):
        add_robot(world, 1, 0, 0)
    for _ in range(50):
        one.run()
    many.run(50)
    assert one.frame == many.frame == 50
    assert one.digest() == many.digest()


def test_force_acts_for_one_step() -> None:
    world = empty_world(gravity=(0, 0, 0))
    body = add_ball(world, (0, 0, 0), mass=2.0)
    body.add_force((2, 0, 0))
    world.run(10)
    assert body.linear_velocity == pytest.approx((0.001, 0, 0))


def test_force_at_a_point_turns() -> None:
    world = empty_world(gravity=(0, 0, 0))
    body = add_ball(world, (0, 0, 0))
    body.add_force((0, 1, 0), point=(1, 0, 0))
    world.run()
    assert body.angular_velocity == pytest.approx((0, 0, 0.001 / 0.004))


def overlapping(world: World, *, self_collision: bool, jointed: bool, owners: tuple[int, int]) -> int:
    """How many contacts two balls have that overlap."""
    world.set_self_collision(1, self_collision)
    one, other = add_ball(world, (0, 0, 1), owner=owners[0]), add_ball(world, (0.15, 0, 1), owner=owners[1])
    if jointed:
        world.add_joint(1, "ball", one, other, anchor=(0.07, 0, 1))
    world.run()
    return len(world.contacts().depths)


@pytest.mark.parametrize(
    ("self_collision", "jointed", "owners", "contacts"),
    [
        (True, False, (1, 1), 1),
        (True, True, (1, 1), 0),
        (False, False, (1, 1), 0),
        (False, False, (1, 2), 1),
        (False, False, (2, 2), 1),
    ],
)
def test_who_collides_with_whom(self_collision: bool, jointed: bool, owners: tuple[int, int], contacts: int) -> None:
    assert overlapping(empty_world(), self_collision=self_collision, jointed=jointed, owners=owners) == contacts


def test_contacts_name_geoms_place_normal_and_depth() -> None:
    world = ground_world()
    add_ball(world, (1, 2, 0.09))
    world.run()
    found = world.contacts()
    assert (found.a.tolist(), found.b.tolist()) == ([0], [1])
    assert found.positions[0] == pytest.approx((1, 2, 0), abs=0.011)
    assert found.normals[0] == pytest.approx((0, 0, -1))  # into the lower id, the ground
    assert found.depths[0] == pytest.approx(0.01)


@pytest.mark.parametrize("one", ["box", "sphere", "capsule", "cylinder", "mesh"])
@pytest.mark.parametrize("other", ["box", "sphere", "capsule", "cylinder", "mesh", "plane"])
def test_every_shape_rests_on_every_other(one: str, other: str) -> None:
    world = empty_world()
    if other == "plane":
        world.add_plane(0, 0, (0, 0, 1), 0)
    else:
        add_shape(world, other, None, (0, 0, -0.5), 1.0)
    body = world.add_body(1, mass=1, inertia=0.1 * np.eye(3), position=(0, 0, 0.251), rotation=UNTURNED)
    add_shape(world, one, body, (0, 0, 0.251), 0.5)
    world.run(100)
    assert body.position[2] == pytest.approx(0.25, abs=0.005)


def add_shape(world: World, shape: str, body: object, place: tuple[float, float, float], extent: float) -> None:
    """Something `extent` high whose middle is at `place`."""
    common = (1 if body else 0, body, 0, place, UNTURNED)
    half = extent / 2
    if shape == "box":
        world.add_box(*common, (extent, extent, extent))  # type: ignore[arg-type]
    elif shape == "sphere":
        world.add_sphere(*common, half)  # type: ignore[arg-type]
    elif shape == "capsule":
        world.add_capsule(*common, half / 2, half)  # type: ignore[arg-type]
    elif shape == "cylinder":
        world.add_cylinder(*common, half, extent)  # type: ignore[arg-type]
    else:
        world.add_mesh(*common, CollisionMesh(CUBE_CORNERS * extent, CUBE_TRIANGLES))  # type: ignore[arg-type]


CUBE_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_TRIANGLES = np.array(
    [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]
)  # fmt: skip


def test_rays_find_the_nearest_surface() -> None:
    world = ground_world()
    add_ball(world, (0, 0, 1), radius=0.5)
    add_box(world, (3, 0, 1), size=(1, 1, 1), owner=2)
    hits = cast(
        world, [(0, 0, 5), (3, 0, 5), (6, 0, 5), (0, 0, 5), (-5, 0, 1)], [(0, 0, -2)] * 3 + [(0, 0, 1), (1, 0, 0)], 20.0
    )
    assert hits.distances == pytest.approx([3.5, 3.5, 5.0, math.inf, 4.5])
    assert hits.geoms.tolist() == [1, 2, 0, -1, 1]
    assert hits.normals[0] == pytest.approx((0, 0, 1))
    assert hits.normals[4] == pytest.approx((-1, 0, 0))


def test_rays_ignore_a_body_or_an_owner_and_end_at_their_range() -> None:
    world = ground_world()
    ball = add_ball(world, (0, 0, 1), radius=0.5)
    down = ([(0, 0, 5)], [(0, 0, -1)])
    assert cast(world, *down, 20.0, ignore_body=ball).distances == pytest.approx([5.0])
    assert cast(world, *down, 20.0, ignore_owner=1).distances == pytest.approx([5.0])
    assert cast(world, *down, 20.0, ignore_owner=0).distances == pytest.approx([3.5])
    assert cast(world, *down, [3.4]).geoms.tolist() == [-1]


def test_vertices_that_no_triangle_has_are_left_out() -> None:
    """The physics engine would take so many of them for a fault."""
    world = empty_world()
    corners = [(9.0, 9.0, 9.0)] * 100 + [tuple(corner) for corner in CUBE_CORNERS] + [(0.1, 0.1, 0.1)] * 100
    world.add_mesh(0, None, 0, (5, 0, 0), UNTURNED, CollisionMesh(corners, np.asarray(CUBE_TRIANGLES) + 100))
    hits = cast(world, [(0, 0, 0)], [(1, 0.01, 0.02)], 100.0)
    assert hits.distances == pytest.approx([4.5 * math.hypot(1, 0.01, 0.02)])


def test_rays_hit_meshes_and_moved_bodies() -> None:
    world = empty_world()
    world.add_mesh(0, None, 0, (5, 0, 0), UNTURNED, CollisionMesh(CUBE_CORNERS, CUBE_TRIANGLES))
    body = add_box(world, (0, 9, 0), size=(1, 1, 1))
    body.set_state(position=(0, 5, 0))
    hits = cast(world, [(0, 0, 0)] * 2, [(1, 0.01, 0.02), (0, 1, 0)], 100.0)
    assert hits.distances == pytest.approx([4.5 * math.hypot(1, 0.01, 0.02), 4.5])


@pytest.mark.parametrize(
    ("origins", "directions", "ranges"),
    [([(0, 0, 0)], [(0, 0, 0)], 1.0), ([(0, 0, math.nan)], [(0, 0, 1)], 1.0), ([(0, 0, 0)], [(0, 0, 1)], -1.0),
     ([(0, 0)], [(0, 0)], 1.0), ([(0, 0, 0)], [(1e300, 0, 1)], 1.0)],
)  # fmt: skip
def test_senseless_rays_are_refused(origins: list[object], directions: list[object], ranges: float) -> None:
    body = add_ball(ground_world(), (0, 0, 1))
    with pytest.raises(WorldError, match=r"rays need|a bundle's place"):
        RayBatch(body, origins[0], directions, ranges)  # type: ignore[arg-type]


def one_joint(kind: str) -> Joint:
    world = empty_world()
    one, other = add_ball(world, (0, 0, 0)), add_ball(world, (1, 0, 0))
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)][: KINDS[kind].axes[1]]
    return world.add_joint(1, kind, one, other, anchor=(0.5, 0, 0), axes=axes)


@pytest.mark.parametrize("kind", KINDS)
def test_every_property_that_a_joint_has_reads_back(kind: str) -> None:
    joint = one_joint(kind)
    assert joint.axes == len(KINDS[kind].properties)
    for place, number in enumerate(joint.properties.values()):
        joint.set(number, 0.25 + 0.01 * place)
    for place, number in enumerate(joint.properties.values()):
        assert joint.get(number) == 0.25 + 0.01 * place, number


def test_unknown_properties_are_refused_with_those_that_exist() -> None:
    with pytest.raises(
        WorldError, match=r"hinge has no property 0x102; it has LoStop 0x0, HiStop 0x1, Vel 0x2, FMax 0x3"
    ):
        one_joint("hinge").set(JOINT_PROPERTIES["Vel2"], 1.0)
    with pytest.raises(WorldError, match="fixed has no property 0x2; it has none"):
        one_joint("fixed").set(JOINT_PROPERTIES["Vel"], 1.0)
    with pytest.raises(WorldError, match="Vel2 0x102"):
        one_joint("hinge2").get(JOINT_PROPERTIES["LoStop2"])
    for value in (math.nan, math.inf, -1.0):
        with pytest.raises(WorldError, match="FMax"):
            one_joint("hinge").set(JOINT_PROPERTIES["FMax"], value)


def test_only_measuring_joints_tell_positions() -> None:
    with pytest.raises(WorldError, match="measures no position"):
        one_joint("amotor").position()
    with pytest.raises(WorldError, match="no axis 1"):
        one_joint("hinge").rate(1)


def test_a_world_that_explodes_says_who_and_is_undone() -> None:
    world, calm = ground_world(), ground_world()
    for each in (world, calm):
        add_robot(each, 1, 0, 0)
        each.run(10)
    bomb = add_ball(world, (5, 0, 1), owner=7)
    world.run(5)
    bomb.set_state(linear=(1e8, 0, 0))
    bomb.add_force((1e12, 0, 0))
    with pytest.raises(ExplodedError) as caught:
        world.run(20)
    assert caught.value.owners == (7,)
    assert caught.value.frame == world.frame + 1 == 16
    assert np.isfinite(world.positions).all()
    world.remove(7)
    world.run(20)
    calm.run(25)
    assert world.digest() == calm.digest()


def test_an_explosion_names_the_robot_not_what_it_touched() -> None:
    world = ground_world()
    add_ball(world, (0, 0, 0.1), owner=0)
    bomb = add_ball(world, (0.19, 0, 0.1), owner=3, mass=1e-6)
    bomb.set_state(linear=(-1e8, 0, 0))
    bomb.add_force((-1e12, 0, 0))
    with pytest.raises(ExplodedError) as caught:
        world.run(3)
    assert caught.value.owners == (3,)


def test_solver_auto_gives_big_heaps_to_the_quick_solver_and_leaves_the_rest_exact() -> None:
    """A robot beside a heap moves to the bit as it does alone; forces that wait for the second solver are not lost."""
    alone, beside = ground_world(solver="exact"), ground_world(solver="auto")
    for world in (alone, beside):
        add_robot(world, 1, 0, 0)
    for place in range(60):
        add_box(beside, (5 + 0.01 * (place % 3), 0, 0.1 + 0.2 * place), owner=0)
    top = beside.bodies[-1]
    for _ in range(20):
        top.add_force((0, 0, 1.0 * 9.81 + 0.5))
        alone.run()
        beside.run()
    assert len(beside.contacts().depths) > 100
    rows = [0, 1, 2, 3]
    assert beside.digest(rows) == alone.digest()
    assert top.linear_velocity[2] == pytest.approx(0.01, rel=1e-2)


def test_surfaces_are_those_of_the_pair() -> None:
    ice, rubber = Surface(mu=0.0), Surface(mu=0.9)
    world = World(0.001, surfaces=[[rubber, ice], [ice, ice]])
    world.add_plane(0, 0, (0, 0, 1), 0)
    speeds = []
    for place, material in enumerate((0, 1)):
        position = (0, 2 * place, 0.05)
        body = world.add_body(1, mass=1, inertia=np.eye(3), position=position, rotation=UNTURNED)
        world.add_box(1, body, material, position, UNTURNED, (0.4, 0.4, 0.1))
        body.set_state(linear=(1, 0, 0))
    world.run(50)
    speeds = world.linear_velocities[:, 0].tolist()
    assert speeds == pytest.approx([1 - 0.9 * 9.81 * 0.05, 1.0], rel=1e-3)


def test_a_world_is_there_until_the_program_has_ended() -> None:
    """A server in a thread of its own goes on while the interpreter already calls what it calls at the end."""
    program = """
import atexit
atexit.register(lambda: print(world.run(100), world.positions[0].tolist()[:2]))
from tests.helpers.world_scenes import add_ball, ground_world
world = ground_world()
add_ball(world, (0.0, 0.0, 1.0))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "None [0.0, 0.0]\n"), ended.stderr
