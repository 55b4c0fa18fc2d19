"""Who meets whom: the pairs that the kernel finds against all pairs there are, whatever moved, came and went before."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.world_scenes import UNTURNED, empty_world
from ubersim.geometry import Array
from ubersim.physics import Body, World

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
