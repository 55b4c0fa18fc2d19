"""Looking around without drawing, against numpy and single rays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.cameras import ball, sled, wall, weightless
from tests.helpers.rays import cast
from ubersim.errors import WorldError
from ubersim.geometry import Array, Pose, rotation_xyz
from ubersim.physics.visibility import Landmarks, Visibility
from ubersim.simulation import Simulation

REACH = 9.0


def scattered(seed: int) -> Simulation:
    """A sled among balls and walls, some of them behind others."""
    rng = np.random.default_rng(seed)
    balls = [ball(f"Ball{n}", *rng.uniform((-4, -6, 0), (4, 6, 2))) for n in range(12)]
    walls = [wall(f"Wall{n}", 1.5 + 2 * n, width=0.6, height=0.8, x=rng.uniform(-1, 1)) for n in range(3)]
    simulation = Simulation(weightless("".join(balls), "".join(walls)))
    simulation.spawn(sled(""))
    simulation.step(20)
    return simulation


def prepared(simulation: Simulation) -> tuple[Visibility, Landmarks, Pose]:
    """A look around, not along any axis of the world, and from where."""
    body = next(iter(simulation.robots["Sled"].bodies.values()))
    place = Pose(np.array([0.1, 0.2, 0.9]), rotation_xyz((0.1, -0.05, 0.2)))
    landmarks = simulation.cameras.visible_objects.others(body.owner)
    outlook = Visibility(body, place, landmarks)
    outlook.look()
    return outlook, landmarks, Pose(body.position, body.rotation) @ place


def places(simulation: Simulation, landmarks: Landmarks) -> Array:
    """Where centres and aims are in the world."""
    world = simulation.world
    return np.array(
        [
            point if row < 0 else world.positions[row] + world.rotations[row] @ point
            for row, point in zip(landmarks.rows, landmarks.where, strict=True)
        ]
    )


def reached(simulation: Simulation, landmarks: Landmarks, pose: Pose, rays: Array, ranges: Array) -> NDArray[np.int64]:
    """The things that rays in the axes of the place lead to first; -1: none."""
    world, owner = simulation.world, simulation.robots["Sled"].owner
    origins = np.tile(pose.position, (len(rays), 1))
    hits = cast(world, origins, rays @ pose.rotation.T, ranges, ignore_owner=owner).geoms
    things = {geom.id: thing for geom, thing in zip(world.geoms, landmarks.thing_of_geom, strict=True)}
    return np.array([things.get(int(geom), -1) for geom in hits])


@pytest.mark.parametrize("seed", range(5))
def test_everything_is_where_it_is(seed: int) -> None:
    with scattered(seed) as simulation:
        outlook, landmarks, pose = prepared(simulation)
        true = (places(simulation, landmarks) - pose.position) @ pose.rotation
        np.testing.assert_allclose(outlook.seen, true, atol=1e-12)
        right, ahead, up = true[: len(landmarks.numbers)].T
        distance = np.sqrt(right**2 + ahead**2 + up**2)
        told = outlook.everything()
        np.testing.assert_array_equal(told[:, 0], landmarks.numbers)
        np.testing.assert_allclose(told[:, 1], np.arctan2(-right, ahead), atol=1e-12)
        np.testing.assert_allclose(told[:, 2], np.arctan2(up, np.hypot(right, ahead)), atol=1e-12)
        np.testing.assert_allclose(told[:, 3], distance, atol=1e-12)
        np.testing.assert_allclose(told[:, 4], 2 * np.arcsin(np.minimum(1, landmarks.radii / distance)), atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_in_sight_is_what_single_rays_lead_to(seed: int) -> None:
    """At least what a ray to one of its aims, or one all over the picture, reaches; at most what any ray reaches."""
    with scattered(seed) as simulation:
        outlook, landmarks, pose = prepared(simulation)
        wide, high = math.tan(0.6), math.tan(0.4)
        outlook.frame(wide, high, 0.05, 50.0)
        right, ahead, up = outlook.aims.T
        inside = (np.abs(right / ahead) <= wide) & (np.abs(up / ahead) <= high) & (ahead >= 0.05)
        np.testing.assert_array_equal(outlook.inside, inside)
        across, upward = np.meshgrid(np.linspace(-0.9, 0.9, 7), np.linspace(-0.9, 0.9, 5))
        grid = np.stack([wide * across.ravel(), np.ones(35), high * upward.ravel()], axis=1)
        outlook.search(REACH, grid)
        found = set(outlook.in_sight()[:, 0])

        distances = np.linalg.norm(outlook.aims, axis=1)
        near = inside & (distances <= REACH)
        aimed = reached(simulation, landmarks, pose, outlook.aims[near], distances[near] * (1 + 1e-6) + 1e-6)
        spread = reached(simulation, landmarks, pose, grid, np.full(len(grid), REACH))
        own = set(aimed[aimed == landmarks.thing_of_aim[near]]) | set(spread)
        assert {*landmarks.numbers[sorted(own - {-1})]} <= found
        assert found <= {*landmarks.numbers[sorted({*aimed, *spread} - {-1})]}
        assert 0 < len(found) < len(landmarks.numbers)


def test_an_outlook_does_not_outlive_what_it_knows() -> None:
    with scattered(0) as simulation:
        outlook, _, _ = prepared(simulation)
        simulation.spawn(sled(""), name="Other", position=(0, 20, 0))
        with pytest.raises(WorldError, match="geoms are known"):
            outlook.search(REACH, np.zeros((0, 3)))
        simulation.remove("Sled")
        with pytest.raises(WorldError, match="removed"):
            outlook.look()
