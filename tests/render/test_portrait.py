"""Pictures for people: the subject is in the frame, in the light, and in the file."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ubersim.png import encode_png, from_bgra, save_png
from ubersim.render import DirectionalSource, Scene, Shape, project
from ubersim.render.portrait import Portrait, portrait, subject, viewer

SMALL = Portrait(320, 240, oversample=1)


def robot(scale: float) -> Scene:
    body = Shape("box", (0.4 * scale, 0.2 * scale, 1.0 * scale), (0.9, 0.1, 0.1), body=0, position=(0, 0, 0.5 * scale))
    head = Shape("sphere", (0.2 * scale,), (0.9, 0.1, 0.1), body=0, position=(0, 0, 1.2 * scale))
    wall = Shape("box", (50.0, 0.1, 0.2), (0.1, 0.1, 0.9), position=(0, -30.0, 0.1))
    return Scene((body, head, wall))


@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (40.0, -7.0, 0.0)])
def test_the_subject_fills_the_frame(scale: float, place: tuple[float, float, float]) -> None:
    scene, positions, rotations = robot(scale), np.array([place]), np.eye(3)[None]
    corners = subject(scene, positions, rotations)
    camera, position, rotation = viewer(SMALL, corners, scene)
    pixels = project(camera, (corners - position) @ rotation) / [camera.width, camera.height]
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    assert (low > 0.05).all() and (high < 0.95).all()
    assert (high - low).max() > 0.6
    picture = portrait(scene, positions, rotations, SMALL).astype(int)
    red = picture[..., 0] - picture[..., 2] > 60
    rows, columns = np.nonzero(red)
    assert np.ptp(rows) > 0.55 * 240 and 0.3 * 320 < columns.mean() < 0.7 * 320


def test_there_is_a_shadow_on_the_ground() -> None:
    """Against the same light without shadows: it darkens a good piece of ground, and brightens nothing."""
    scene, poses = robot(1.0), (np.array([[0.0, 0.0, 0.0]]), np.eye(3)[None])
    assert SMALL.light is not None
    suns = [light for light in SMALL.light.sources if isinstance(light, DirectionalSource)]
    sources = tuple(replace(sun, shadow=False) for sun in suns)
    assert len(sources) == len(SMALL.light.sources)
    without = replace(SMALL, light=replace(SMALL.light, sources=sources))
    picture, shadowless = (portrait(scene, *poses, how).astype(int) for how in (SMALL, without))
    darker = (shadowless - picture).max(axis=-1)
    ground = np.ptp(shadowless, axis=-1) < 40
    assert (darker[ground] > 20).sum() > 600
    assert (shadowless - picture).min() >= -1


def test_an_empty_scene_and_one_without_bodies_have_portraits_too() -> None:
    nobody = np.zeros((0, 3)), np.zeros((0, 3, 3))
    assert portrait(Scene(), *nobody, SMALL).shape == (240, 320, 3)
    statue = Scene((Shape("sphere", (1.0,), (1, 0, 0), position=(0, 0, 1)),))
    picture = portrait(statue, *nobody, SMALL).astype(int)
    assert picture[120, 160, 0] - picture[120, 160, 2] > 60


def test_a_png_file_holds_the_same_pixels(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (17, 23, 3), dtype=np.uint8)
    assert np.array_equal(np.array(Image.open(io.BytesIO(encode_png(picture)))), picture)
    save_png(tmp_path / "x.png", picture)
    assert np.array_equal(np.array(Image.open(tmp_path / "x.png")), picture)
    with pytest.raises(ValueError, match="height, width, 3"):
        encode_png(picture[..., :2])


def test_bgra_becomes_rgb() -> None:
    assert from_bgra(np.array([[[1, 2, 3, 255]]], np.uint8)).tolist() == [[[3, 2, 1]]]
