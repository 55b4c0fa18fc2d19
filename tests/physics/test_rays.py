"""Nearest hits among many shapes, against the formula for spheres."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers.rays import cast
from tests.helpers.world_scenes import empty_world
from ubersim.geometry import Array
from ubersim.physics import World

REACH = 8.0


def crowd(seed: int) -> tuple[World, list[tuple[int, int, Array, float]]]:
    """Owners with bodies of several spheres, static ones among them; each sphere's geom, body's row, place, radius."""
    rng = np.random.default_rng(seed)
    world, spheres = empty_world(gravity=(0, 0, 0)), []
    for _ in range(20):
        place, radius = rng.uniform(-4, 4, 3), rng.uniform(0.2, 0.5)
        spheres.append((world.add_sphere(0, None, 0, place, np.eye(3), radius).id, -1, place, radius))
    for owner in (0, 1, 2, 3):
        for _ in range(6):
            middle = rng.uniform(-4, 4, 3)
            body = world.add_body(owner, mass=1, inertia=np.eye(3), position=middle, rotation=np.eye(3))
            for _ in range(4):
                offset, radius = rng.uniform(-0.4, 0.4, 3), rng.uniform(0.1, 0.4)
                geom = world.add_sphere(owner, body, 0, middle + offset, np.eye(3), radius)
                spheres.append((geom.id, body.row, offset, radius))
    return world, spheres


def nearest(world: World, spheres: list[tuple[int, int, Array, float]], origin: Array, ray: Array) -> tuple[float, int]:
    """Distance and geom of the first sphere that a ray from outside reaches."""
    found = (math.inf, -1)
    for geom, row, place, radius in spheres:
        center = place if row < 0 else world.positions[row] + world.rotations[row] @ place
        along = (center - origin) @ ray
        square = radius**2 - ((center - origin) @ (center - origin) - along**2)
        if square >= 0 and 0 <= along - np.sqrt(square) <= REACH:
            found = min(found, (float(along - np.sqrt(square)), geom))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_rays_find_the_nearest_of_all_shapes_wherever_these_have_moved(seed: int) -> None:
    world, spheres = crowd(seed)
    rng = np.random.default_rng(seed + 100)
    origin = np.array([0.0, -5.0, 0.0])
    for move in range(4):
        for body in world.bodies:
            if move == 2:
                turn = rng.normal(size=4)
                body.set_state(position=rng.uniform(-4, 4, 3), quaternion=turn / np.linalg.norm(turn))
        if move == 1:
            world.run(50)
        if move == 3:  # the others' rows close up
            gone = {geom.id for geom in world.geoms if geom.owner == 2}
            kept = [sphere for sphere in spheres if sphere[0] not in gone]
            world.remove(2)
            rows = {geom.id: geom.body.row if geom.body else -1 for geom in world.geoms}
            spheres = [(geom, rows[geom], place, radius) for geom, _, place, radius in kept]
        rays = rng.normal(size=(200, 3)) * 0.5 + (0, 1, 0)
        rays /= np.linalg.norm(rays, axis=1)[:, None]
        expected = [nearest(world, spheres, origin, ray) for ray in rays]
        hits = cast(world, np.tile(origin, (200, 1)), rays, REACH)
        np.testing.assert_allclose(hits.distances, [distance for distance, _ in expected], atol=1e-9)
        np.testing.assert_array_equal(hits.geoms, [geom for _, geom in expected])
        assert 10 < np.isfinite(hits.distances).sum() < 200


def test_rays_pass_through_a_body_or_an_owner_that_they_ignore() -> None:
    world, spheres = crowd(9)
    origin = np.array([0.0, -6.0, 0.0])
    rays = np.random.default_rng(0).normal(size=(300, 3)) * 0.5 + (0, 1, 0)
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    owner_of = {geom.id: geom.owner for geom in world.geoms}
    body_of = {geom.id: geom.body for geom in world.geoms}
    body = world.bodies[8]
    for options, kept in (
        ({"ignore_owner": 2}, [sphere for sphere in spheres if owner_of[sphere[0]] != 2]),
        ({"ignore_body": body}, [sphere for sphere in spheres if body_of[sphere[0]] is not body]),
    ):
        hits = cast(world, np.tile(origin, (300, 1)), rays, REACH, **options)
        expected = [nearest(world, kept, origin, ray) for ray in rays]
        np.testing.assert_array_equal(hits.geoms, [geom for _, geom in expected])
