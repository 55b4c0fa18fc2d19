"""Meshes on meshes: closed convex ones are solids, however flush they lie on each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.helpers.world_scenes import UNTURNED, box_inertia, empty_world
from ubersim.geometry import Array
from ubersim.physics import Body, CollisionMesh, World
from ubersim.physics.mesh import shared_mesh

EDGE = 0.3
CORNERS = np.array(list(itertools.product((-EDGE / 2, EDGE / 2), repeat=3)))
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = np.array([half for a, b, c, d in FACES for half in ((a, b, c), (a, c, d))], dtype=np.uint32)


def about(axis: int, degrees: float) -> Array:
    """A rotation about x, y or z."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = np.eye(3)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    turned[one, one], turned[one, other], turned[other, one], turned[other, other] = c, -s, s, c
    return turned


def two_bricks(
    place: tuple[float, float, float],
    upper: Array = UNTURNED,
    lower: Array = UNTURNED,
    mesh: CollisionMesh | None = None,
) -> tuple[World, Body]:
    """A static one, whose top is at z = 0.15 if it is not turned, and one of 10 kg."""
    world = empty_world()
    world.add_mesh(0, None, 0, (0, 0, 0), lower, mesh or CollisionMesh(CORNERS, TRIANGLES))
    body = world.add_body(1, mass=10, inertia=box_inertia(10, (EDGE, EDGE, EDGE)), position=place, rotation=upper)
    world.add_mesh(1, body, 0, place, upper, mesh or CollisionMesh(CORNERS, TRIANGLES))
    return world, body


@pytest.mark.parametrize("drop", [0.0, 0.05])
@pytest.mark.parametrize(
    ("aside", "turn"), [((0.0, 0.0), 0.0), ((0.1, 0.0), 0.0), ((0.0, 0.0), 45.0), ((0.05, -0.1), 20.0)]
)
def test_a_brick_comes_to_rest_on_one_of_the_same_size(aside: tuple[float, float], turn: float, drop: float) -> None:
    world, body = two_bricks((*aside, EDGE + drop), about(2, turn))
    for _ in range(10):
        world.run(50)
        assert np.linalg.norm(body.linear_velocity) < 1.0
    assert np.allclose(body.position, (*aside, EDGE), atol=1e-5)
    assert np.linalg.norm(body.linear_velocity) < 1e-5


def test_flush_sides_do_not_hold() -> None:
    """Faces side by side, a hair apart: it falls past the other."""
    world, body = two_bricks((EDGE + 1e-6, 0.0, 0.1))
    world.run(100)
    assert body.position[2] == pytest.approx(0.1 - 9.81 * 0.1**2 / 2, abs=1e-6)


def test_crossing_edges_meet_in_one_point_between_them() -> None:
    """Both stand on an edge, and the edges are at right angles."""
    reach = EDGE / math.sqrt(2)
    world, _ = two_bricks((0.03, 0.02, 2 * reach - 0.001), about(0, 45), about(1, 45))
    world.run()
    contacts = world.contacts()
    assert len(contacts.depths) == 1
    assert np.allclose(contacts.normals, [[0, 0, -1]], atol=1e-9)
    assert contacts.depths[0] == pytest.approx(0.001, abs=1e-9)
    assert np.allclose(contacts.positions, [[0.0, 0.02, reach - 0.0005]], atol=1e-9)


def test_what_is_open_is_no_solid() -> None:
    """A brick without its top takes in a smaller one."""
    open_top = np.array([t for t in TRIANGLES if not np.all(CORNERS[t][:, 2] > 0)])
    world = empty_world()
    world.add_mesh(0, None, 0, (0, 0, 0), UNTURNED, CollisionMesh(CORNERS, open_top))
    body = world.add_body(1, mass=1, inertia=box_inertia(1, (0.1, 0.1, 0.1)), position=(0, 0, 0.02), rotation=UNTURNED)
    world.add_mesh(1, body, 0, (0, 0, 0.02), UNTURNED, CollisionMesh(CORNERS / 3, TRIANGLES))
    world.run(20)
    assert body.position[2] < 0.02


def test_geoms_that_share_a_mesh_move_as_those_with_one_each() -> None:
    """And it is there for as long as one of them is, whoever else forgets it."""
    apart, _ = two_bricks((0.05, -0.1, EDGE), about(2, 20.0))
    one = shared_mesh(CORNERS, TRIANGLES)
    assert shared_mesh(CORNERS.tolist(), TRIANGLES.astype(np.int64)) is one
    assert shared_mesh(CORNERS / 2, TRIANGLES) is not one
    together, _ = two_bricks((0.05, -0.1, EDGE), about(2, 20.0), mesh=one)
    del one
    assert shared_mesh(CORNERS / 2, TRIANGLES).handle  # where the other one was, if it had gone
    for _ in range(5):
        apart.run(20)
        together.run(20)
        assert apart.digest() == together.digest()
    together.remove(0)
    together.run(20)
    assert together.bodies[0].linear_velocity[2] < -0.1
