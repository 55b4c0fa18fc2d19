"""Motion blur and rolling shutter: shares of light and places of rows by closed forms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from ubersim.geometry import rotation_about
from ubersim.render import (
    Camera,
    InlineRenderer,
    Job,
    LensModel,
    Motion,
    Picture,
    Scene,
    Shape,
    ShutterModel,
    WorkerRenderer,
)
from ubersim.render.camera import PROJECTIONS
from ubersim.render.scene import Sky
from ubersim.render.shutter import slices

Array = NDArray[np.float64]
FOV = math.radians(60)
CAMERA = Camera(64, 48, fov=FOV, radiation="infrared", form="grey")
GLOW = 0.5
HALF = 0.2
"""Of the box's width [m]; its near side is 2 m ahead."""
BOX = Shape("box", (2 * HALF, 0.1, 4.0), body=0, radiation=((0.0, GLOW),))
DARK = Scene((BOX,), None, Sky(radiation=(0.0,)), radiation=("infrared",))
PLACE = np.array([[0.0, 2.05, 0.0]])
UPRIGHT = np.eye(3)[None]
SPEED = 5.0


def job(camera: Camera, velocity: tuple[float, float, float] = (SPEED, 0.0, 0.0), place: Array = PLACE) -> Job:
    """A box that moves past the camera."""
    motion = Motion(np.array([velocity]), np.zeros((1, 3)))
    return Job(camera, np.zeros(3), np.eye(3), place, UPRIGHT, motion=motion)


def taken(renderer: InlineRenderer, scene: Scene, wanted: Job) -> Picture:
    renderer.set_scene(scene)
    return renderer.collect(renderer.submit(wanted)).copy()


def places(width: int = 64) -> Array:
    """Where the pixels of a row see the plane of the box's near side [m]."""
    middles = np.arange(width, dtype=np.float64) + 0.5 - width / 2
    return 2.0 * math.tan(FOV / 2) / (width / 2) * middles


def test_a_moving_thing_gives_each_pixel_its_share_of_the_light(renderer: InlineRenderer) -> None:
    exposure, instants = 0.06, 64
    camera = replace(CAMERA, shutter=ShutterModel(exposure, 0.0, instants))
    picture = taken(renderer, DARK, job(camera))
    begins, ends = (places() - HALF) / SPEED, (places() + HALF) / SPEED  # when the box is there
    covered = np.clip(np.minimum(ends, 0.0) - np.maximum(begins, -exposure), 0.0, None) / exposure
    assert np.sum((covered > 0) & (covered < 1)) > 10, "it is blurred over many pixels"
    light = (picture / 255.0) ** 2 / GLOW**2
    # Half a slice where the box comes, half a slice where it goes, and the rounding of a byte.
    assert np.abs(light - covered).max() < 1 / instants + 0.01


def test_each_row_of_a_rolling_shutter_sees_another_instant(renderer: InlineRenderer) -> None:
    readout, instants = 0.04, 64
    camera = replace(CAMERA, shutter=ShutterModel(0.0, readout, instants))
    picture = taken(renderer, DARK, job(camera))
    assert set(np.unique(picture)) == {0, round(255 * GLOW)}
    middles = [(row > 0) @ places() / (row > 0).sum() for row in picture]
    ends = readout * (np.arange(48) / 47 - 1.0)
    pixel = places()[1] - places()[0]
    assert np.abs(np.array(middles) - SPEED * ends).max() < pixel / 2 + SPEED * readout / instants
    assert middles[0] < -0.15 and abs(middles[-1]) < pixel, "the last row is the newest"


def test_both_at_once_blur_and_shear(renderer: InlineRenderer) -> None:
    camera = replace(CAMERA, shutter=ShutterModel(0.02, 0.04, 60))
    picture = taken(renderer, DARK, job(camera)) / (255 * GLOW)
    for row in range(48):
        end = 0.04 * (row / 47 - 1.0)
        begins, ends = (places() - HALF) / SPEED, (places() + HALF) / SPEED
        covered = np.clip(np.minimum(ends, end) - np.maximum(begins, end - 0.02), 0.0, None) / 0.02
        assert np.abs(picture[row] ** 2 - covered).max() < 0.1


@pytest.mark.parametrize("projection", PROJECTIONS)
@pytest.mark.parametrize("lens", [LensModel(), LensModel(k1=-0.2, vignetting=0.5)])
@pytest.mark.parametrize("shutter", [ShutterModel(0.01), ShutterModel(0.0, 0.02), ShutterModel(0.01, 0.03, 5)])
def test_what_rests_looks_as_ever(
    renderer: InlineRenderer, projection: str, lens: LensModel, shutter: ShutterModel
) -> None:
    """To the byte, whatever the lens does to rows; noise comes after the light was gathered, and so was rounded."""
    scene = Scene((replace(BOX, color=(0.9, 0.3, 0.1)),))
    for noise, tolerance in ((0.0, 0), (0.05, 1)):
        still = Camera(64, 48, fov=FOV, projection=projection, lens=lens, noise=noise, seed=3)  # type: ignore[arg-type]
        pictures = [
            taken(renderer, scene, job(one, (0.0, 0.0, 0.0))) for one in (still, replace(still, shutter=shutter))
        ]
        assert np.abs(np.subtract(*pictures, dtype=int)).max() <= tolerance


def test_samples_shadows_and_other_pictures(renderer: InlineRenderer) -> None:
    """Edges are as smooth as ever in every row; depth and objects are those of the picture's instant."""
    scene = Scene((replace(BOX, color=(0.9, 0.3, 0.1), object_id=7),))
    plain = Camera(64, 48, fov=FOV, samples=4, shadows=True, lens=LensModel(aperture=0.02, focus=1.0))
    for camera in (plain, replace(plain, lens=LensModel())):
        rolling = replace(camera, shutter=ShutterModel(0.0, 0.02))
        sharp, slow = (taken(renderer, scene, job(one, (0.0, 0.0, 0.0))) for one in (camera, rolling))
        assert np.array_equal(sharp, slow)
    for output in ("depth", "segmentation"):
        sharp, slow = (taken(renderer, scene, replace(job(one), output=output)) for one in (plain, rolling))
        assert np.array_equal(sharp, slow)


def test_a_camera_goes_along_with_the_body_that_carries_it(renderer: InlineRenderer) -> None:
    """On a turning body, off its middle: each row is that of a picture from where the camera was then, on its arc."""
    rate, readout, instants = 4.0, 0.1, 8
    scene = Scene((replace(BOX, size=(0.3, 0.1, 4.0), body=-1, position=(0.0, 2.0, 0.0), color=(0.9, 0.3, 0.1)),))
    mount = np.array([0.3, 0.5, 0.0])
    camera = Camera(64, 48, fov=FOV)

    def turned(angle: float, of: Camera) -> Job:
        turn = rotation_about(2, angle)
        motion = Motion(np.zeros((1, 3)), np.array([[0.0, 0.0, rate]]), carrier=0)
        return Job(of, turn @ mount, turn, np.zeros((1, 3)), turn[None], motion=motion)

    rolling = replace(camera, shutter=ShutterModel(0.0, readout, instants))
    picture = taken(renderer, scene, turned(0.0, rolling))
    parts = slices(rolling.shutter, 48)
    assert [part.rows.stop - part.rows.start for part in parts] == [6] * instants
    for part in parts:
        then = taken(renderer, scene, turned(rate * part.moment, camera))
        wrong = (picture[part.rows] != then[part.rows]).any(axis=-1)
        assert wrong.mean() < 0.01  # where rounding decides about a pixel of an edge
    assert (picture != taken(renderer, scene, turned(0.0, camera))).any(axis=-1).mean() > 0.03


def test_spinning_things_turn_about_their_own_middle(renderer: InlineRenderer) -> None:
    """A bar that spins about the camera's axis, by a quarter of a turn while the shutter is open."""
    bar = Scene((replace(BOX, size=(1.0, 0.1, 0.1)),), None, Sky(radiation=(0.0,)), radiation=("infrared",))
    spin = Motion(np.zeros((1, 3)), np.array([[0.0, math.pi / 2 / 0.01, 0.0]]))
    camera = replace(CAMERA, shutter=ShutterModel(0.01, 0.0, 64))
    picture = taken(renderer, bar, Job(camera, np.zeros(3), np.eye(3), PLACE, UPRIGHT, motion=spin))
    light = (picture / (255.0 * GLOW)) ** 2
    # In a quarter of a turn it sweeps two opposite quarters of a disc; beside its ends the other two stay dark.
    upper_left, upper_right = light[12:20, 22:28].mean(), light[12:20, 36:42].mean()
    assert max(upper_left, upper_right) > 0.1 and min(upper_left, upper_right) == 0.0
    assert light[23:25, 31:33].min() == pytest.approx(1.0, abs=0.02), "its middle never moves"


def test_workers_make_the_same_bytes(renderer: InlineRenderer) -> None:
    scene = Scene((replace(BOX, color=(0.9, 0.3, 0.1)),))
    shutters = [ShutterModel(), ShutterModel(0.02, 0.0, 4), ShutterModel(0.01, 0.03, 9), ShutterModel()]
    jobs = [job(Camera(64, 48, fov=FOV, noise=0.02, shutter=one)) for one in shutters]
    expected = [taken(renderer, scene, one) for one in jobs]
    with WorkerRenderer(1, scene) as pool:
        tickets = [pool.submit(one) for one in jobs]
        for ticket, picture in zip(tickets, expected, strict=True):
            assert np.array_equal(pool.collect(ticket), picture)
    assert not np.array_equal(expected[0], expected[1])


@pytest.mark.parametrize("height", [1, 2, 7, 480])
@pytest.mark.parametrize("shutter", [ShutterModel(0.01), ShutterModel(0.0, 0.02, 3), ShutterModel(0.013, 0.007, 64)])
def test_all_light_of_every_row_is_accounted_for(shutter: ShutterModel, height: int) -> None:
    light = np.zeros(height)
    for part in slices(shutter, height):
        light[part.rows] += part.shares[:, 0, 0]
        assert -shutter.duration < part.moment < 0
    assert light == pytest.approx(1.0, abs=1e-5)
