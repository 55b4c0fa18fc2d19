"""What the page works out before it draws: how large plots are, where a camera looks, how numbers are written."""

from __future__ import annotations

import math

import numpy as np
import pytest
from websockets.datastructures import Headers
from websockets.http11 import Response

from ubersim.viewer.browser_files import furnish
from ubersim.viewer.charts import _round_up, _scales
from ubersim.viewer.framing import around, extent
from ubersim.viewer.guard import _cookies
from ubersim.viewer.model import radius_of
from ubersim.viewer.probes import _rounded
from ubersim.viewer.selection import Selection


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([5.0, 5.0, 5.0], (4.998, 5.002)),
        ([1e-5, -1e-5, np.nan], (-0.002, 0.002)),
        ([], (-0.002, 0.002)),
        ([np.nan], (-0.002, 0.002)),
    ],
)
def test_what_hardly_varies_is_not_blown_up(values: list[float], shown: tuple[float, float]) -> None:
    scale = _scales(np.zeros(1), np.array(values))["y"]
    assert scale["range"] == pytest.approx(shown) and "auto" not in scale


def test_what_varies_fills_its_plot() -> None:
    assert _scales(np.zeros(1), np.array([0.0, 0.5]))["y"] == {"auto": True}


def test_a_single_instant_is_the_beginning_of_a_second() -> None:
    """A browser draws no axis for a range without a length."""
    assert _scales(np.array([2.5]), np.zeros(1))["x"] == {"time": False, "range": (2.5, 3.5)}
    assert _scales(np.array([2.5, 2.6]), np.zeros(2))["x"] == {"time": False}


def test_what_rounding_leaves_of_nothing_has_no_sign() -> None:
    assert [_rounded(value, 2) for value in (-0.001, 0.001, -0.006, -0.0)] == ["0.00", "0.00", "-0.01", "0.00"]


def test_a_ball_around_others_holds_them_all() -> None:
    assert around([]) is None
    middle, radius = around([(np.array([-2.0, 0, 0]), 1.0), (np.array([2.0, 0, 0]), 0.5)]) or (np.zeros(3), 0.0)
    assert middle == pytest.approx([-0.25, 0, 0]) and radius == pytest.approx(2.75)


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.0, 1.0), (-3.0, 1.0), (math.inf, 1.0), (math.nan, 1.0), (3.0, 5.0), (20.0, 20.0)]
)
def test_scales_end_at_round_numbers(value: float, rounded: float) -> None:
    assert _round_up(value) == pytest.approx(rounded)


def test_a_ball_around_nothing_and_around_a_mesh() -> None:
    assert extent(None, None, []) is None  # type: ignore[arg-type]
    mesh = {"kind": "mesh", "size": (1.0,), "mesh": {"vertices": [(0, 0, 0), (3, 4, 0), (0, 0, 1)]}}
    assert radius_of(mesh) == 5.0


def test_a_key_of_another_kind_is_none() -> None:
    assert Selection.from_key(Selection("Robot", "Cart", "").key) == Selection("Robot", "Cart", "")
    with pytest.raises(ValueError, match="there is no kind 'Ghost'"):
        Selection.from_key("Ghost|Cart|")


def test_only_pages_are_furnished() -> None:
    picture = Response(200, "OK", Headers({"Content-Type": "image/png", "Content-Length": "3"}), b"abc")
    furnish(picture, "Title")
    assert picture.body == b"abc" and picture.headers["Content-Length"] == "3"


def test_a_cookie_that_is_none_is_left_out() -> None:
    headers = Headers([("Cookie", "good=1"), ("Cookie", "b:a:d=2"), ("Cookie", "more=3")])
    assert _cookies(headers)["good"] == "1" and _cookies(headers)["more"] == "3"
