"""What other cameras send: against the formulas of JPEG's colours, exactly."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.conftest import Shoot
from ubersim.render import Camera, Scene, Shape
from ubersim.render.pixel_formats import convert, picture_shape, to_rgb

BGRA = np.random.default_rng(3).integers(0, 256, (60, 80, 4), np.uint8)
BGRA[0, :8, :3] = [
    [0, 0, 0],
    [255, 255, 255],
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 0],
    [1, 2, 3],
    [9, 9, 9],
]
BLUE, GREEN, RED = (BGRA[..., channel].astype(float) for channel in range(3))
LUMA = 0.299 * RED + 0.587 * GREEN + 0.114 * BLUE
CHROMA = 128 + (BLUE - LUMA) / 1.772, 128 + (RED - LUMA) / 1.402
HALF = 0.5 + 0.01
"""Rounded to the nearest, with coefficients of 16 bits."""


def converted(form: str) -> np.ndarray:
    out = np.zeros(picture_shape(60, 80, form), np.uint8)  # type: ignore[arg-type]
    convert(BGRA, form, out)  # type: ignore[arg-type]
    return out


def test_luma_and_chroma_are_those_of_the_formulas() -> None:
    yuv = converted("yuv").astype(float)
    for channel, expected in enumerate((LUMA, *CHROMA)):
        assert np.abs(yuv[..., channel] - np.minimum(expected, 255)).max() <= HALF
    assert np.array_equal(converted("grey"), converted("yuv")[..., 0])


def test_black_white_and_grey_are_exact() -> None:
    assert converted("yuv")[0, [0, 1, 7]].tolist() == [[0, 128, 128], [255, 128, 128], [9, 128, 128]]
    assert converted("yuv")[0, 2:5].tolist() == [[29, 255, 107], [150, 44, 21], [76, 85, 255]]


def test_neighbours_of_yuyv_share_the_chroma_of_their_mean() -> None:
    yuyv = converted("yuyv").astype(float)
    assert np.array_equal(yuyv[..., 0], converted("yuv")[..., 0])
    for start, expected in enumerate(CHROMA):
        assert np.abs(yuyv[:, start::2, 1] - (expected[:, 0::2] + expected[:, 1::2]) / 2).max() <= HALF


@pytest.mark.parametrize("form", ["bgra", "yuv", "grey"])
def test_they_can_be_looked_at(form: str) -> None:
    picture = BGRA if form == "bgra" else converted(form)
    rgb = to_rgb(picture, form).astype(int)  # type: ignore[arg-type]
    if form == "grey":
        assert (rgb == picture[..., None]).all()
    else:
        assert np.abs(rgb - BGRA[..., 2::-1]).max() <= (0 if form == "bgra" else 2)


def test_even_patches_survive_yuyv() -> None:
    patches = np.repeat(BGRA[:, ::2], 2, axis=1)
    out = np.zeros((60, 80, 2), np.uint8)
    convert(patches, "yuyv", out)
    assert np.abs(to_rgb(out, "yuyv").astype(int) - patches[..., 2::-1]).max() <= 2


@pytest.mark.parametrize("form", ["yuv", "yuyv", "grey"])
def test_a_camera_draws_in_its_format(shoot: Shoot, form: str) -> None:
    scene = Scene((Shape("sphere", (0.3,), (1, 0.2, 0.1), position=(0, 2, 0)),))
    drawn = shoot(scene, Camera(80, 60, noise=0.02, seed=4), frame=7)
    expected = np.zeros(picture_shape(60, 80, form), np.uint8)  # type: ignore[arg-type]
    convert(drawn, form, expected)  # type: ignore[arg-type]
    assert np.array_equal(shoot(scene, Camera(80, 60, noise=0.02, seed=4, form=form), frame=7), expected)  # type: ignore[arg-type]


def test_an_odd_width_has_no_pairs() -> None:
    with pytest.raises(ValueError, match="yuyv needs an even width"):
        Camera(81, 60, form="yuyv")
