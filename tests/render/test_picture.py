"""What pixels say: occlusion, colours of light, shadows, brightness, lens and noise; against closed forms."""

from __future__ import annotations

import base64
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.render.conftest import Shoot
from ubersim.geometry import rotation_xyz
from ubersim.png import encode_png
from ubersim.render import (
    Camera,
    DirectionalSource,
    GroundPlane,
    LensModel,
    Lights,
    PointSource,
    Scene,
    Shape,
    Sky,
    SpotSource,
    project,
    rotation_rows,
    textures,
)
from ubersim.render.shapes import TriangleMesh

DOWN = rotation_xyz((-math.pi / 2, 0, 0))
"""Turns a camera to look straight down, with +y of the world up in the picture."""
PLAIN = GroundPlane(color=(0.6, 0.7, 0.8), tile=0.0, fade=0.0)
DARK = Lights(sources=(), above=(0.0, 0.0, 0.0), below=(0.0, 0.0, 0.0))
WHITE = replace(DARK, above=(1.0, 1.0, 1.0), below=(1.0, 1.0, 1.0))
EVEN = Scene((), GroundPlane(color=(0.5, 0.5, 0.5), tile=0.0, fade=0.0), Sky(), WHITE)


def test_a_colour_in_full_white_light_is_itself_in_blue_green_red(shoot: Shoot) -> None:
    picture = shoot(Scene((), PLAIN, lights=WHITE), Camera(), at=(0, 0, 1), rotation=DOWN)
    assert picture.shape == (240, 320, 4) and picture.dtype == np.uint8
    assert np.abs(picture.astype(int) - [204, 178, 153, 255]).max() <= 1


def test_the_first_row_is_the_top_and_the_first_column_the_left(shoot: Shoot) -> None:
    corners = {1: (-0.5, 0.4), 2: (0.5, 0.4), 3: (-0.5, -0.4), 4: (0.5, -0.4)}
    shapes = tuple(Shape("sphere", (0.1,), object_id=n, position=(x, 1.2, z)) for n, (x, z) in corners.items())
    ids = shoot(Scene(shapes, ground=None), Camera(), "segmentation")
    quarters = ids[:120, :160], ids[:120, 160:], ids[120:, :160], ids[120:, 160:]
    assert [set(np.unique(quarter)) - {0} for quarter in quarters] == [{1}, {2}, {3}, {4}]


def test_near_things_hide_far_ones_whatever_their_order(shoot: Shoot) -> None:
    near = Shape("box", (0.2, 0.2, 0.2), object_id=1, position=(0, 1, 0))
    far = Shape("sphere", (0.4,), object_id=2, position=(0, 2, 0))
    behind = Shape("sphere", (0.1,), object_id=3, position=(0, 1.3, 0))
    expected = None
    for order in ((near, far, behind), (behind, far, near)):
        ids = shoot(Scene(order, ground=None), Camera(), "segmentation")
        assert ids[120, 160] == 1
        assert set(np.unique(ids)) == {0, 1, 2}
        assert expected is None or np.array_equal(ids, expected)
        expected = ids


def test_shapes_follow_their_bodies(shoot: Shoot) -> None:
    shape = Shape("box", (0.1, 0.1, 0.1), body=1, position=(0.3, 0, 0), object_id=9)
    positions, rotations = np.array([[9, 9, 9], [0.1, 1.5, 0.2]]), np.stack([np.eye(3), rotation_xyz((0, 0, 1.0))])
    ids = shoot(Scene((shape,), ground=None), Camera(), "segmentation", positions=positions, rotations=rotations)
    rows, columns = np.nonzero(ids == 9)
    u, v = project(Camera(), positions[1] + rotations[1] @ [0.3, 0, 0])
    assert abs(columns.mean() + 0.5 - u) < 0.5 and abs(rows.mean() + 0.5 - v) < 0.5


@pytest.mark.parametrize("shape", [Shape("box", (0.4, 0.4, 0.2), (1, 1, 1)), Shape("cylinder", (0.3, 0.2), (1, 1, 1))])
def test_sunlight_follows_the_cosine(shape: Shape, shoot: Shoot) -> None:
    for angle in (0.0, 0.5, 1.2):
        sun = DirectionalSource((math.sin(angle), 0, -math.cos(angle)), (0.8, 0.8, 0.8), shadow=False)
        scene = Scene((shape,), None, lights=replace(DARK, sources=(sun,)))
        picture = shoot(scene, Camera(), at=(0, 0, 2), rotation=DOWN)
        # Light adds up linearly, bytes hold its square root.
        assert picture[120, 160, :3] == pytest.approx(255 * math.sqrt(0.8 * math.cos(angle)), abs=1)


def test_a_lamp_has_half_its_strength_at_its_reach(shoot: Shoot) -> None:
    lamp = PointSource((0, 0, 2.0), (0.9, 0.9, 0.9), reach=2.0)
    scene = Scene((), GroundPlane(color=(1, 1, 1), tile=0, fade=0), lights=replace(DARK, sources=(lamp,)))
    picture = shoot(scene, Camera(), at=(0, 0, 3), rotation=DOWN)
    assert picture[120, 160, 0] == pytest.approx(255 * math.sqrt(0.45), abs=1)
    u, v = project(Camera(), (1.0, 3.0, 0.0))
    distance = math.sqrt(5)
    expected = 255 * math.sqrt(0.9 * (2 / distance) / (1 + (distance / 2) ** 2))
    assert picture[int(v), int(u), 0] == pytest.approx(expected, abs=1.5)


def test_a_spot_ends_at_its_cone(shoot: Shoot) -> None:
    spot = SpotSource((0, 0, 2.0), (0, 0, -1), reach=9.0, cone=math.atan(0.5), soft=0.01, shadow=False)
    scene = Scene((), GroundPlane(color=(1, 1, 1), tile=0, fade=0), lights=replace(DARK, sources=(spot,)))
    camera = Camera(fov=math.radians(80))
    lit = shoot(scene, camera, at=(0, 0, 2.5), rotation=DOWN)[..., 0] > 20
    radius = camera.focal * 1.0 / 2.5
    assert lit.sum() == pytest.approx(math.pi * radius**2, rel=0.02)


@pytest.mark.parametrize("light", ["sun", "spot"])
def test_shadows_fall_where_light_cannot_go(light: str, shoot: Shoot) -> None:
    ball, height = 0.2, 1.0
    source: DirectionalSource | SpotSource
    if light == "sun":
        source = DirectionalSource((0.5, 0.0, -1.0), (1, 1, 1))
        expected = np.array([0.5 * height, 0.0])
    else:
        source = SpotSource((-1.0, 0.0, 3.0), (0.3, 0, -1), (1, 1, 1), reach=9, cone=0.6)
        expected = np.array([-1.0 + 1.0 * 3.0 / 2.0, 0.0])
    lights = replace(DARK, sources=(source,), above=(0.1, 0.1, 0.1))
    hanging = Shape("sphere", (ball,), position=(0, 0, height))
    scene = Scene((hanging,), GroundPlane(color=(1, 1, 1), tile=0, fade=0), lights=lights)
    camera = Camera(shadows=True, fov=1.2)
    # From below the ball, looking down, nothing hides the shadow.
    picture, depth = (shoot(scene, camera, output, at=(0.3, 0, 0.75), rotation=DOWN) for output in ("image", "depth"))
    dark = picture[..., 0] < 110
    assert np.allclose(depth, 0.75, atol=0.001)
    rows, columns = np.nonzero(dark)
    found = np.array([columns.mean() + 0.5 - 160, 120 - rows.mean() - 0.5]) / camera.focal * 0.75 + [0.3, 0]
    # The outline of a sphere's shadow from a lamp is an ellipse, whose middle is a little beyond the centre's shadow.
    assert np.abs(found - expected).max() < (0.01 if light == "sun" else 0.04)
    unshadowed = shoot(scene, replace(camera, shadows=False), at=(0.3, 0, 0.75), rotation=DOWN)
    assert (unshadowed[..., 0] < 110).sum() < dark.sum() / 10


def test_lit_surfaces_do_not_shade_themselves(shoot: Shoot) -> None:
    box = Shape("box", (1.0, 1.0, 0.2), (1, 1, 1), position=(0, 0, 0.1))
    lights = replace(DARK, sources=(DirectionalSource((0.6, 0.3, -1.0), (0.9, 0.9, 0.9)),))
    camera = Camera(shadows=True)
    with_shadows, without = (
        shoot(Scene((box,), PLAIN, lights=lights), one, at=(0, 0, 0.9), rotation=DOWN)
        for one in (camera, replace(camera, shadows=False))
    )
    assert np.array_equal(with_shadows, without)


@pytest.mark.parametrize("softness", [0, 2])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder"])
def test_round_surfaces_do_not_shade_themselves_either(kind: str, softness: int, shoot: Shoot) -> None:
    """Picture and shadow map draw them with different numbers of corners, at every distance."""
    size = (0.2,) if kind == "sphere" else (0.2, 0.4)
    shape = Shape(kind, size, (1, 1, 1), position=(0, 0, 1.0))  # type: ignore[arg-type]
    sun = DirectionalSource((-0.3, 1.0, -0.6), (0.9, 0.9, 0.9))
    lights = replace(DARK, sources=(sun,), shadow_softness=softness)
    for distance in (0.6, 1.5, 4.0):
        camera = Camera(shadows=True)
        with_shadows, without = (
            shoot(Scene((shape,), None, lights=lights), one, at=(0, -distance, 1.0))[..., 0].astype(int)
            for one in (camera, replace(camera, shadows=False))
        )
        ids = shoot(Scene((replace(shape, object_id=1),), None), camera, "segmentation", at=(0, -distance, 1.0))
        # Well lit: at least 0.35 of the full light falls there; nearer to the terminator a penumbra is in order.
        lit = (ids == 1) & (without > 255 * math.sqrt(0.9 * 0.35))
        assert lit.sum() > 100
        assert np.abs(with_shadows - without)[lit].max() <= 1, distance


def test_markings_lie_on_the_ground_without_flicker(shoot: Shoot) -> None:
    line = Shape("quad", (0.1, 200.0), (1, 1, 1), object_id=5)
    camera = Camera(640, 480)
    ids = shoot(Scene((line,)), camera, "segmentation", at=(0.0, -3.0, 0.5))
    # Per row the line is as wide as it must be, far away too.
    rows = np.arange(245, 480)
    width = 0.1 * camera.focal / (0.5 * camera.focal / (rows + 0.5 - 240))
    assert np.abs((ids[rows] == 5).sum(axis=1) - width).max() <= 1.01


def test_smooth_edges_with_more_samples(shoot: Shoot) -> None:
    tilted = rotation_rows(rotation_xyz((0, 0.3, 0)))
    black = Shape("box", (0.5, 0.5, 0.5), (0, 0, 0), position=(0, 2, 0), rotation=tilted)
    scene = Scene((black,), None, Sky((1, 1, 1), (1, 1, 1)))
    jagged, smooth = (shoot(scene, Camera(samples=samples))[..., 0] for samples in (1, 4))
    assert set(np.unique(jagged)) == {0, 255}
    between = smooth[(smooth > 0) & (smooth < 255)]
    assert len(between) > 100
    assert smooth.mean() == pytest.approx(jagged.mean(), abs=0.5)


def test_brightness_scales_values_and_saturates(shoot: Shoot) -> None:
    for brightness in (0.0, 0.5, 1.0, 1.5, 9.0):
        found = shoot(EVEN, Camera(brightness=brightness), at=(0, 0, 1), rotation=DOWN)[..., :3]
        assert np.abs(found.astype(float) - min(255.0, 127.5 * brightness)).max() <= 1


def test_vignetting_darkens_the_corners_by_what_it_says(shoot: Shoot) -> None:
    picture = shoot(EVEN, Camera(lens=LensModel(vignetting=0.6)), at=(0, 0, 1), rotation=DOWN)[..., 0]
    assert picture[120, 160] == pytest.approx(127.5, abs=1)
    assert picture[0, 0] == pytest.approx(127.5 * 0.4, abs=2)
    assert picture[120, 0] == pytest.approx(127.5 * (1 - 0.6 * 160**2 / 200**2), abs=2)


def test_noise_is_gaussian_and_independent(shoot: Shoot) -> None:
    def noisy(**values: object) -> np.ndarray:
        frame = values.pop("frame", 0)
        camera = Camera(noise=0.05, **values)  # type: ignore[arg-type]
        return shoot(EVEN, camera, at=(0, 0, 1), rotation=DOWN, frame=frame)[..., :3].astype(float) - 127.5

    first = noisy(seed=3)
    sigma, count = 0.05 * 255, first.size
    assert abs(first.mean()) < 4 * sigma / math.sqrt(count) + 0.5
    assert first.std() == pytest.approx(sigma, rel=0.01)
    assert ((first / sigma) ** 4).mean() == pytest.approx(3.0, abs=0.1)
    neighbours = [(first[:, 1:], first[:, :-1]), (first[1:], first[:-1])]
    neighbours += [(first[..., 0], first[..., 1]), (first[..., 1], first[..., 2])]
    for one, other in [*neighbours, (first, noisy(seed=4)), (first, noisy(seed=3, frame=1))]:
        assert abs((one * other).mean()) / sigma**2 < 5 / math.sqrt(one.size)
    assert np.array_equal(first, noisy(seed=3))


def test_depth_of_field_blurs_what_is_out_of_focus(shoot: Shoot) -> None:
    def edge(distance: float, lens: LensModel) -> float:
        wall = Shape("box", (10, 0.1, 10), (1, 1, 1), position=(5.0, distance + 0.05, 0))
        row = shoot(Scene((wall,), None, Sky((0, 0, 0), (0, 0, 0)), WHITE), Camera(lens=lens, far=500))[120, :, 0]
        return float(((row > 12) & (row < 243)).sum())

    lens = LensModel(aperture=0.05, focus=1.0)
    assert edge(1.0, LensModel()) == 0
    assert edge(1.0, lens) <= 2
    blurred = edge(3.0, lens)
    # The blur disc's diameter is aperture * focal * |1/z - 1/focus|.
    assert blurred == pytest.approx(0.05 * Camera().focal * (1 - 1 / 3), rel=0.35)


def test_the_ground_and_sky_have_no_object_unless_told(shoot: Shoot) -> None:
    assert set(np.unique(shoot(Scene(), Camera(), "segmentation", at=(0, 0, 1)))) == {0}
    ids = shoot(Scene(ground=GroundPlane(object_id=77)), Camera(), "segmentation", at=(0, 0, 1))
    assert ids[0, 0] == 0 and ids[-1, 0] == 77


def test_flat_shading_shows_the_faces_of_a_sphere_and_leaves_boxes_alone(shoot: Shoot) -> None:
    sun = Lights(sources=(DirectionalSource((1.0, 1.0, -1.0), (1.0, 1.0, 1.0), shadow=False),), above=(0.1, 0.1, 0.1))
    sphere, box = Shape("sphere", (0.3,), position=(0, 1, 0)), Shape("box", (0.3, 0.3, 0.3), position=(0, 1, 0))
    shades = {}
    for name, shape in (("sphere", sphere), ("box", box)):
        for flat in (False, True):
            picture = shoot(Scene((shape,), ground=None, lights=sun), Camera(flat=flat))
            shades[name, flat] = picture[90:150, 130:190].copy()
    steps = {flat: np.abs(np.diff(shades["sphere", flat][..., 1].astype(int), axis=1)) for flat in (False, True)}
    assert (steps[True] == 0).mean() > (steps[False] == 0).mean() + 0.2  # even faces, with edges between them
    assert steps[True].max() > steps[False].max()
    assert np.abs(shades["sphere", True].astype(int) - shades["sphere", False]).mean() < 12
    assert np.abs(shades["box", True].astype(int) - shades["box", False]).max() <= 1


def test_a_mesh_is_checked_and_known_by_its_content() -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    one, other = (TriangleMesh(np.array(corners), np.array([(0, 1, 2)])) for _ in range(2))
    assert one == other and hash(one) == hash(other)
    with pytest.raises(ValueError, match="vertices are finite"):
        TriangleMesh(np.array([(0, 0, np.nan), *corners]), np.array([(0, 1, 2)]))


def test_a_texture_that_is_too_large_is_drawn_as_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = base64.b64encode(encode_png(np.full((4, 6, 3), 255, np.uint8))).decode()
    assert textures.pixels(fine).shape == (4, 6, 3)
    monkeypatch.setattr(textures, "LARGEST", 5)
    assert textures.pixels(fine) is textures._BROKEN
