"""Drawings over pictures: every pixel where the geometry says, and nothing that a program says costs much."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ubersim.render.annotations import _LEAST_PAINT, MOST_PLACES, annotated, read_annotation

RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
BLANK = np.zeros((48, 64, 3), np.uint8)


def drawn(*contents: dict[str, Any], size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
    """Over a black picture of 64 x 48."""
    return annotated(BLANK, [read_annotation(content) for content in contents], size)


def box(mask: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """First and last column, first and last row."""
    rows, columns = np.nonzero(mask)
    return int(columns.min()), int(columns.max()), int(rows.min()), int(rows.max())


def test_a_point_is_the_pixel_that_it_is_in() -> None:
    """The first pixel of the top row reaches from (0, 0) to (1, 1)."""
    picture = drawn({"points": [(0, 0), (5.5, 7.5), (10.99, 3.01), (63.9, 47.9)], "color": RED})
    assert {(int(c), int(r)) for r, c in zip(*np.nonzero(picture[..., 0]), strict=True)} == {
        (0, 0), (5, 7), (10, 3), (63, 47),
    }  # fmt: skip
    assert picture[7, 5].tolist() == [255, 0, 0]


@pytest.mark.parametrize("width", range(1, 10))
def test_lines_and_points_are_as_wide_as_asked_around_their_places(width: int) -> None:
    middle = 20.5 if width % 2 else 20.0
    across = drawn({"lines": [[(10.5, middle), (40.5, middle)]], "width": width, "color": GREEN})[..., 1] > 0
    down = drawn({"lines": [[(middle, 10.5), (middle, 40.5)]], "width": width, "color": GREEN})[..., 1] > 0
    dot = drawn({"points": [(middle, middle)], "width": width, "color": GREEN})[..., 1] > 0
    first, last = math.floor(middle - width / 2 + 0.5), math.floor(middle + width / 2 - 0.5)
    assert last - first == width - 1
    assert box(across)[2:] == box(down)[:2] == box(dot)[:2] == box(dot)[2:] == (first, last)
    assert across[first : last + 1, 12:39].all() and down[12:39, first : last + 1].all()
    assert dot.sum() == pytest.approx(math.pi * width**2 / 4, abs=max(1.0, 1.1 * width))


def test_a_slanted_line_stays_near_the_geometry() -> None:
    start, end = np.array([5.2, 40.7]), np.array([60.1, 3.3])
    mask = drawn({"lines": [[start, end]], "width": 5, "color": RED})[..., 0] > 0
    rows, columns = np.mgrid[0:48, 0:64] + 0.5
    way = (end - start) / np.linalg.norm(end - start)
    along = (columns - start[0]) * way[0] + (rows - start[1]) * way[1]
    away = np.abs((rows - start[1]) * way[0] - (columns - start[0]) * way[1])
    within = (along > 1) & (along < np.linalg.norm(end - start) - 1)
    assert mask[within & (away < 1.5)].all() and not mask[away > 4.0].any()


def test_the_last_is_on_top_and_the_picture_itself_is_left_alone() -> None:
    picture = drawn({"points": [(8, 8)], "width": 5, "color": RED}, {"points": [(8, 8)], "width": 5, "color": GREEN})
    assert picture[8, 8].tolist() == [0, 255, 0] and not picture[..., 0].any() and not BLANK.any()


def test_the_lower_left_corner_of_a_text_is_where_it_is_said_to_be() -> None:
    """On a label of its colour, in black or white as can be read better."""
    for color, ink in ((RED, [255, 255, 255]), (GREEN, [0, 0, 0])):
        picture = drawn({"text": "H", "at": (20, 30), "color": color})
        label = picture[15:30, 20:30]
        left, right, top, bottom = box(picture.max(axis=2) > 0)
        assert (left, bottom) == (20, 29) and 26 < right < 36 and 12 < top < 18
        apart = np.abs(label.astype(int) - ink).max(axis=2)
        assert apart.min() < 60 and (label == np.multiply(255, color)).all(axis=2).any()


def test_a_text_in_a_corner_of_the_picture_is_seen_whole() -> None:
    whole = drawn({"text": "ball", "at": (20, 30)}).any(axis=2).sum()
    for at in ((0, 0), (63, 0), (63, 47), (0, 47.5)):
        assert drawn({"text": "ball", "at": at}).any(axis=2).sum() == pytest.approx(whole, rel=0.1)
    assert not drawn({"text": "ball", "at": (70, 30)}).any()


def test_a_picture_of_another_size_has_the_drawing_at_its_own_scale() -> None:
    picture = drawn({"points": [(16, 12)], "width": 4, "color": RED}, size=(128, 96))
    assert box(picture[..., 0] > 0) == (7, 8, 5, 6)


def test_what_is_outside_is_cut_off() -> None:
    far = drawn({"lines": [[(-9e5, 20.5), (9e5, 20.5)]], "color": RED})[..., 0]
    assert (far[20] == 255).all() and far.sum() == 64 * 255
    assert not drawn({"lines": [[(-50, -9), (90, -9)]], "points": [(-40, 5), (9e5, 9e5)], "color": RED}).any()


def test_there_is_so_much_paint(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first lines are drawn, and what is beyond the paint is left out."""
    lines = [[(0.5, row + 0.5), (63.5, row + 0.5)] for row in range(48)]
    monkeypatch.setattr("ubersim.render.annotations._PAINT", 10 * _LEAST_PAINT)
    picture = drawn({"lines": lines, "color": RED}, {"points": [(3, 40)], "text": "no more", "color": RED})
    assert (picture[:10, :, 0] == 255).all() and not picture[10:].any()


HOSTILE = (
    '{"points": [[NaN, 0]]}', '{"points": [[1e300, 0]]}', '{"points": [[Infinity, 0]]}', '{"lines": [[1, 2]]}',
    '{"lines": [[[0, 0, 0], [1, 1, 1]]]}', '{"points": [[1, 2], [1]]}', '{"points": "xy"}', '{"points": null}',
    '{"points": {"a": 1}}', '{"lines": 3}', '{"width": 0, "points": []}', '{"width": 1e9}', '{"width": NaN}',
    '{"width": "wide"}', '{"width": null}', '{"color": 3}', '{"color": [1, 2]}', '{"color": [NaN, 0, 0]}',
    '{"text": null}', '{"text": ["x"]}', '{"text": "x", "at": null}', '{"text": "x", "at": [1, 2, 3]}',
    '{"points": [[' + "9" * 4000 + ", 0]]}", '{"points": ' + "[" * 500 + "]" * 500 + "}",
    '{"points": [' + ",".join(["[1,2]"] * (MOST_PLACES + 1)) + "]}",
)  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE, ids=[text[:40] for text in HOSTILE])
def test_nonsense_is_refused(content: str) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError, KeyError)):
        read_annotation(json.loads(content))


def test_strange_texts_are_written_all_the_same() -> None:
    for text in ("\ud800\x00\x1b[2J", "a\nb\tc", "x" * 100_000, "球 ü", 1.5, " "):
        assert drawn({"text": text, "at": (5, 30)}).shape == BLANK.shape
