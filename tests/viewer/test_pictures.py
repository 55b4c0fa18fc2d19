"""Readings of cameras as pictures: colours, shades for depth, hues for numbers."""

from __future__ import annotations

import numpy as np
import pytest

from ubersim.viewer.pictures import picture

SIZE = {"width": 3, "height": 2}


def test_an_image_is_turned_from_blue_first_to_red_first() -> None:
    reading = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    drawn = picture(reading, SIZE | {"output": "image"})
    assert drawn is not None and drawn.shape == (2, 3, 3)
    assert drawn[0, 1].tolist() == [6, 5, 4]


def test_near_is_bright_and_nothing_is_black() -> None:
    drawn = picture(np.array([[1.0, 2.0, 3.0], [1.0, np.inf, 3.0]]), SIZE | {"output": "depth"})
    assert drawn is not None
    assert drawn[..., 0].tolist() == [[255, 127, 0], [255, 0, 0]]
    assert (drawn == drawn[..., :1]).all()
    nothing = picture(np.full((2, 3), np.inf), SIZE | {"output": "depth"})
    assert nothing is not None and not nothing.any()


def test_numbers_have_colours_of_their_own() -> None:
    drawn = picture(np.array([[0, 1, 2], [3, 1, 0]], np.uint16), SIZE | {"output": "segmentation"})
    assert drawn is not None
    assert not drawn[0, 0].any() and not drawn[1, 2].any()
    assert (drawn[0, 1] == drawn[1, 1]).all()
    assert len({tuple(color) for color in drawn.reshape(-1, 3).tolist()}) == 4


IMAGE = {"output": "image"}


@pytest.mark.parametrize(("reading", "about"), [(np.zeros(5), {}), (np.zeros((4, 5)), SIZE | IMAGE), (1.5, IMAGE)])
def test_what_is_no_picture(reading: object, about: dict[str, object]) -> None:
    assert picture(reading, about) is None
