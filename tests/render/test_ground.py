"""Where the ground ends: at `far`, by the formulas of projection, not before; then the sky begins."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.render.conftest import Array, Shoot
from ubersim.geometry import rotation_about, rotation_xyz
from ubersim.render import Camera, GroundPlane, Lights, Scene, Shape, Sky, pixel_rays, rotation_rows

BLACK = Scene(
    (),
    GroundPlane(color=(0.0, 0.0, 0.0), tile=0.0, fade=0.0, object_id=1),
    Sky((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
    Lights(sources=(), above=(1.0, 1.0, 1.0)),
)
"""A black ground under a white sky."""


def depths(camera: Camera, height: float, rotation: Array) -> Array:
    """Of the ground in each pixel, along the optical axis [m]; infinite above the horizon."""
    rays = pixel_rays(camera)
    fall = -(rays @ rotation.T)[..., 2]
    with np.errstate(divide="ignore"):
        distances: Array = np.where(fall > 0, height / fall, np.inf)
    with np.errstate(invalid="ignore"):
        return distances * rays[..., 1]


@pytest.mark.parametrize("height", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("far", [20.0, 200.0, 2000.0])
def test_a_level_camera_sees_the_ground_end_in_the_row_of_its_far(shoot: Shoot, height: float, far: float) -> None:
    camera = Camera(near=0.02, far=far)
    seen = shoot(BLACK, camera, "segmentation", at=(3.0, -2.0, height))[:, 160] == 1
    # Pixel (u, v) has its centre at v + 0.5, and the ground at depth d is height * focal / d rows below the middle.
    assert int(np.argmax(seen)) == math.ceil(camera.height / 2 + height * camera.focal / far - 0.5)
    assert seen[np.argmax(seen) :].all()


@pytest.mark.parametrize("height", [0.05, 0.3, 2.0, 20.0])
@pytest.mark.parametrize("turn", [(0.05, 0.0, 0.3), (-0.2, 0.4, 0.0), (-0.7, 0.0, 2.0), (0.0, -1.2, 1.0)])
@pytest.mark.parametrize("fov", [0.3, 1.2, 2.6])
def test_every_pixel_is_ground_or_sky_as_geometry_says(
    shoot: Shoot, height: float, turn: tuple[float, float, float], fov: float
) -> None:
    camera, rotation = Camera(160, 120, fov=fov, near=0.01, far=150.0), rotation_xyz(turn)
    expected = depths(camera, height, rotation) <= camera.far
    rays = pixel_rays(camera)
    rise = (rays @ rotation.T)[..., 2] / rays[..., 1]
    certain = np.abs(rise + height / camera.far) * camera.focal > 0.05  # pixels from where the ground ends
    at = (1.0, 2.0, height)
    ids = shoot(BLACK, camera, "segmentation", at=at, rotation=rotation)
    depth = shoot(BLACK, camera, "depth", at=at, rotation=rotation)
    picture = shoot(BLACK, camera, at=at, rotation=rotation)
    np.testing.assert_array_equal((ids == 1)[certain], expected[certain])
    np.testing.assert_array_equal(np.isfinite(depth)[certain], expected[certain])
    np.testing.assert_array_equal((picture[..., 0] == 0)[certain], expected[certain])
    assert (np.isin(picture[..., :3], (0, 255))).all()  # nothing shows but these two


@pytest.mark.parametrize("seed", range(12))
def test_markings_hide_the_ground_wherever_they_are(shoot: Shoot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, far, near = 10 ** rng.uniform((-1, 1.3, -3), (1, 3.3, -1))
    rotation, heading = rotation_xyz((rng.uniform(-1.2, 0.1), 0.0, rng.uniform(-3, 3))), rng.uniform(0, 3)
    length, width = 10 ** rng.uniform((0, -1), (3, 1))
    strip = Shape("quad", (length, width), rotation=rotation_rows(rotation_about(2, heading)), object_id=2)
    camera = Camera(near=near, far=far)
    ids = shoot(Scene((strip,), BLACK.ground), camera, "segmentation", at=(0.5, -0.3, height), rotation=rotation)
    depth = depths(camera, height, rotation)
    rays = pixel_rays(camera)
    with np.errstate(invalid="ignore"):
        places = np.array([0.5, -0.3, height]) + rays @ rotation.T * (depth / rays[..., 1])[..., None]
        along, across, _ = np.moveaxis(np.abs(places @ rotation_about(2, heading)), -1, 0)
        inside = (along < 0.499 * length) & (across < 0.499 * width) & (depth > 1.01 * near) & (depth < 0.99 * far)
    assert (ids[inside] == 2).all()


def test_from_below_the_ground_there_is_sky_and_the_ground_above(shoot: Shoot) -> None:
    picture = shoot(BLACK, Camera(far=50.0), at=(0.0, 0.0, -1.0))
    assert (picture[:100, :, 0] == 0).all() and (picture[130:, :, 0] == 255).all()
