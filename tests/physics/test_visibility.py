"""Looking around without drawing, against numpy and single rays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.cameras import ball, sled, wall, weightless
from tests.helpers.rays import cast
from ubersim.components.sensors.logical_camera import framing
from ubersim.errors import WorldError
from ubersim.geometry import Array, Pose, rotation_xyz
from ubersim.physics.visibility import Landmarks, Visibility
from ubersim.render.camera import PROJECTIONS, Camera, LensModel, Projection
from ubersim.render.projections import cone, pixel_rays, project, viewpoint
from ubersim.simulation import Simulation

REACH = 9.0
CAMERA = Camera(width=120, height=80, fov=1.2, near=0.05, far=50.0)
GLASS = LensModel(k1=-0.2, k2=0.05, k3=0.01, p1=0.02, p2=-0.01)


def scattered(seed: int) -> Simulation:
    """A sled among balls, walls and another sled, some of them behind others."""
    rng = np.random.default_rng(seed)
    balls = [ball(f"Ball{n}", *rng.uniform((-4, -6, 0), (4, 6, 2))) for n in range(12)]
    walls = [wall(f"Wall{n}", 1.5 + 2 * n, width=0.6, height=0.8, x=rng.uniform(-1, 1)) for n in range(3)]
    simulation = Simulation(weightless("".join(balls), "".join(walls), ground=True))
    simulation.spawn(sled(""))
    simulation.spawn(sled(""), name="Other", position=(rng.uniform(-1, 1), 2.5, 1.0))
    simulation.step(20)
    return simulation


def prepared(simulation: Simulation) -> tuple[Visibility, Landmarks, Pose]:
    """A look around, not along any axis of the world, and from where."""
    body = next(iter(simulation.robots["Sled"].bodies.values()))
    place = Pose(np.array([0.1, 0.2, 0.9]), rotation_xyz((0.1, -0.05, 0.2)))
    landmarks = simulation.cameras.visible_objects.landmarks
    return Visibility(body, place, landmarks), landmarks, Pose(body.position, body.rotation) @ place


def seen(simulation: Simulation, pose: Pose, rows: NDArray[np.int64], points: Array) -> Array:
    """Points of bodies in the axes of a place."""
    world = simulation.world
    places = [
        point if row < 0 else world.positions[row] + world.rotations[row] @ point
        for row, point in zip(rows, points, strict=True)
    ]
    return (np.array(places) - pose.position) @ pose.rotation


def reached(simulation: Simulation, landmarks: Landmarks, pose: Pose, rays: Array, ranges: Array) -> NDArray[np.int64]:
    """The things that rays in the axes of the place lead to first; -1: none."""
    world, owner = simulation.world, simulation.robots["Sled"].owner
    origins = np.tile(pose.position, (len(rays), 1))
    hits = cast(world, origins, rays @ pose.rotation.T, ranges, ignore_owner=owner).geoms
    things = {geom.id: landmarks.thing_of_row[geom.body.row] for geom in world.geoms if geom.body is not None}
    things |= {landmarks.first_static + thing: thing for thing in range(landmarks.statics)}
    return np.array([things.get(int(geom), -1) for geom in hits])


@pytest.mark.parametrize("seed", range(5))
def test_everything_is_where_it_is(seed: int) -> None:
    with scattered(seed) as simulation:
        sight, landmarks, pose = prepared(simulation)
        told = sight.everything()
        np.testing.assert_allclose(sight.viewpoint, pose.position, atol=1e-12)
        others = landmarks.owners != simulation.robots["Sled"].owner
        assert 0 < others.sum() == len(others) - 2
        right, ahead, up = seen(simulation, pose, landmarks.rows[others], landmarks.centers[others]).T
        distance = np.sqrt(right**2 + ahead**2 + up**2)
        np.testing.assert_array_equal(told[:, 0], landmarks.numbers[others])
        np.testing.assert_allclose(told[:, 1], np.arctan2(-right, ahead), atol=1e-12)
        np.testing.assert_allclose(told[:, 2], np.arctan2(up, np.hypot(right, ahead)), atol=1e-12)
        np.testing.assert_allclose(told[:, 3], distance, atol=1e-12)
        sizes = 2 * np.arcsin(np.minimum(1, landmarks.radii[others] / distance))
        np.testing.assert_allclose(told[:, 4], sizes, atol=1e-12)


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_in_sight_is_what_single_rays_lead_to(seed: int, projection: Projection) -> None:
    """That which a ray to one of its own aims reaches first, or one of those all over the picture; no more, no less."""
    camera = replace(CAMERA, projection=projection)
    with scattered(seed) as simulation:
        sight, landmarks, pose = prepared(simulation)
        grid = pixel_rays(replace(camera, width=9, height=6)).reshape(-1, 3)
        grid = grid[np.isfinite(grid).all(axis=1)]
        found = set(sight.in_sight(framing(camera), REACH, grid)[:, 0])

        things = np.repeat(np.arange(len(landmarks.numbers)), np.diff(landmarks.first_aim))
        aims = seen(simulation, pose, landmarks.rows[things], landmarks.aims)
        column, row = project(camera, aims + viewpoint(camera)).T
        distances = np.linalg.norm(aims, axis=1)
        depths = aims[:, 1] if projection == "pinhole" else distances
        chosen = (column >= 0) & (column <= camera.width) & (row >= 0) & (row <= camera.height)
        chosen &= (depths >= camera.near) & (depths <= camera.far) & (distances <= REACH)
        chosen &= landmarks.owners[things] != simulation.robots["Sled"].owner
        aimed = reached(simulation, landmarks, pose, aims[chosen], distances[chosen] * (1 + 1e-6) + 1e-6)
        spread = reached(simulation, landmarks, pose, grid, np.full(len(grid), REACH))
        expected = set(aimed[aimed == things[chosen]]) | set(spread) - {-1}
        assert found == {*landmarks.numbers[sorted(expected)]}


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("lens", [LensModel(), GLASS], ids=["plain", "glass"])
@pytest.mark.parametrize("fov", [0.4, 1.5, 2.9])
def test_the_kernel_and_the_renderer_have_the_same_picture(projection: Projection, lens: LensModel, fov: float) -> None:
    camera = replace(CAMERA, projection=projection, lens=lens, fov=fov)
    points = np.random.default_rng(1).normal(size=(3000, 3)) * 3
    column, row = project(camera, points + viewpoint(camera)).T
    distances = np.linalg.norm(points, axis=1)
    depths = points[:, 1] if projection == "pinhole" else distances
    shown = (column >= 0) & (column <= camera.width) & (row >= 0) & (row <= camera.height)
    shown &= (depths >= camera.near) & (depths <= camera.far)
    kernel = framing(camera)
    np.testing.assert_array_equal([kernel.shows(point) for point in points], shown)
    assert 0 < shown.sum() < len(points)
    axis, angle = cone(camera)
    assert np.arccos(axis * points[shown, 1] / distances[shown]).max() <= angle + 1e-12


def test_a_look_around_does_not_outlive_what_it_knows() -> None:
    with scattered(0) as simulation:
        sight, _, _ = prepared(simulation)
        simulation.spawn(sled(""), name="Third", position=(0, 20, 0))
        with pytest.raises(WorldError, match="bodies are known"):
            sight.in_sight(framing(CAMERA), REACH, np.zeros((0, 3)))
        with pytest.raises(WorldError, match="bodies are known"):
            sight.everything()
        simulation.remove("Sled")
        with pytest.raises(WorldError, match="removed"):
            sight.everything()
