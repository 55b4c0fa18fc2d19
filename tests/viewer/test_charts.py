"""How high the plots of curves are, and which time they show."""

from __future__ import annotations

import numpy as np
import pytest

from ubersim.viewer.charts import _scales, window


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


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        (0.0, 0.0, (-0.01, 0.0)),
        (1.9, 1.901, (1.891, 1.901)),
        (48.1, 48.5, (47.5, 48.5)),
        (48.1, 58.046, (49.0, 59.0)),
        (62.9, 72.9, (63.0, 73.0)),
        (62.95, 72.95, (63.0, 73.0)),
    ],
)
def test_the_newest_is_always_in_sight(first: float, last: float, shown: tuple[float, float]) -> None:
    assert window(np.array([first, last])) == pytest.approx(shown)
    assert _scales(np.array([first, last]), np.zeros(2))["x"]["range"] == pytest.approx(shown)
