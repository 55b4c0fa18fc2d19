"""Who meets whom: the pairs that the kernel finds against all pairs there are, whatever moved, came and went before."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.world_scenes import UNTURNED, add_ball, empty_world
from ubersim.geometry import Array, matrix_from_quaternion, product
from ubersim.physics import Body, CollisionMesh, World

RADIUS = 0.1


class Scatter:
    """Balls of several owners, moving and static ones, in a cube that is too small for them."""

    def __init__(self, seed: int, balls: int, owners: int) -> None:
        self.random = np.random.default_rng(seed)
        self.world: World = empty_world(gravity=(0, 0, 0))
        self.owner_of: dict[int, int] = {}
        self.place_of: dict[int, Array] = {}
        self.body_of: dict[int, Body | None] = {}
        for place in range(balls):
            self.add(int(place * owners / balls))

    def add(self, owner: int) -> None:
        """A ball; one in three of the world's own never moves."""
        place = self.random.uniform(0, 1, 3)
        body = None
        if owner or self.random.random() < 2 / 3:
            body = self.world.add_body(owner, mass=1.0, inertia=0.01 * UNTURNED, position=place, rotation=UNTURNED)
        geom = self.world.add_sphere(owner, body, 0, place, UNTURNED, RADIUS)
        self.owner_of[geom.id], self.place_of[geom.id], self.body_of[geom.id] = owner, place, body

    def remove(self, owner: int) -> None:
        """With all that it has."""
        self.world.remove(owner)
        gone = [number for number, whose in self.owner_of.items() if whose == owner]
        for number in gone:
            del self.owner_of[number], self.place_of[number], self.body_of[number]

    def move(self) -> None:
        """Everything that can, to anywhere."""
        for number, body in self.body_of.items():
            if body is not None:
                self.place_of[number] = self.random.uniform(0, 1, 3)
                body.set_state(position=self.place_of[number], linear=(0, 0, 0))

    def expected(self) -> set[tuple[int, int]]:
        """All pairs, one by one."""
        numbers = sorted(self.place_of)
        return {
            (one, other)
            for one in numbers
            for other in numbers
            if one < other
            and (self.body_of[one] is not None or self.body_of[other] is not None)
            and np.linalg.norm(self.place_of[one] - self.place_of[other]) < 2 * RADIUS
        }

    def found(self) -> list[tuple[int, int]]:
        """By the next step."""
        self.world.run()
        contacts = self.world.contacts()
        return list(zip(contacts.a.tolist(), contacts.b.tolist(), strict=True))


@pytest.mark.parametrize("owners", [1, 4, 40])
def test_all_pairs_are_found_in_order_whatever_happened_before(owners: int) -> None:
    scene = Scatter(owners, 120, owners)
    for turn in range(6):
        pairs = scene.expected()
        assert scene.found() == sorted(pairs)
        assert len(pairs) > 20
        if turn == 3 and owners > 1:
            scene.remove(owners // 2)
        if turn == 4:
            for _ in range(9):
                scene.add(owners)
        scene.move()


def test_what_has_no_end_is_met_everywhere() -> None:
    scene = Scatter(1, 60, 12)
    ground = scene.world.add_plane(0, 0, (0, 0, 1), 0.5)
    wall = scene.world.add_plane(0, 0, (-1, 0, 0), -0.5)
    found = scene.found()
    for number, body in scene.body_of.items():
        if body is not None:
            assert ((number, ground.id) in found) == (scene.place_of[number][2] < 0.5 + RADIUS)
            assert ((number, wall.id) in found) == (scene.place_of[number][0] > 0.5 - RADIUS)


def test_robots_in_each_other_find_every_pair_of_their_parts_once() -> None:
    scene = Scatter(5, 80, 2)
    for owner in range(2):
        scene.world.set_self_collision(owner, False)
    between = {pair for pair in scene.expected() if scene.owner_of[pair[0]] != scene.owner_of[pair[1]]}
    assert scene.found() == sorted(between)


CORNERS = np.array([[0.9, 0.1, 0.0], [1.0, 0.1, 0.1], [1.0, -0.1, 0.2], [0.95, 0.0, 0.4]])
FARTHEST: dict[str, tuple[tuple[object, ...], tuple[float, float, float]]] = {
    "box": (((0.2, 0.3, 0.5),), (0.1, 0.15, 0.25)),
    "sphere": ((0.2,), (0.2, 0.0, 0.0)),
    "capsule": ((0.05, 0.4), (0.0, 0.0, 0.25)),
    "cylinder": ((0.2, 0.1), (0.2, 0.0, 0.05)),
    "mesh": ((CollisionMesh(CORNERS, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),), (1.0, -0.1, 0.2)),
}
"""Sizes, and the point of the surface that is farthest from the shape's own origin, in its own axes [m]."""


@pytest.mark.parametrize("kind", FARTHEST)
@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.0), (0.3, -0.1, 0.05)])
def test_shapes_are_met_at_their_farthest_points_however_they_are_turned(kind: str, offset: tuple[float, ...]) -> None:
    sizes, farthest = FARTHEST[kind]
    world = empty_world(gravity=(0, 0, 0))
    body = world.add_body(1, mass=1.0, inertia=UNTURNED, position=(0, 0, 0), rotation=UNTURNED)
    geom = getattr(world, f"add_{kind}")(1, body, 0, offset, UNTURNED, *sizes)
    ball = add_ball(world, (9, 9, 9), radius=1e-3, owner=2)
    random = np.random.default_rng(1)
    for _ in range(30):
        place, quaternion = random.uniform(-5, 5, 3), random.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        body.set_state(place, quaternion, (0, 0, 0), (0, 0, 0))
        point = place + product(matrix_from_quaternion(quaternion), np.add(offset, farthest))
        ball.set_state(point, linear=(0, 0, 0), angular=(0, 0, 0))
        world.run()
        assert geom.id in world.contacts().a


def test_self_collision_that_is_switched_later_counts_at_once() -> None:
    scene = Scatter(5, 40, 1)
    owner = 1
    for _ in range(20):
        scene.add(owner)
    own = {pair for pair in scene.expected() if {scene.owner_of[number] for number in pair} == {owner}}
    assert own
    assert own <= set(scene.found())
    scene.world.set_self_collision(owner, False)
    assert not own & set(scene.found())
    scene.world.set_self_collision(owner, True)
    scene.move()
    own = {pair for pair in scene.expected() if {scene.owner_of[number] for number in pair} == {owner}}
    assert own
    assert own <= set(scene.found())
