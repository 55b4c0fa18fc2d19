"""How high the plots of curves are."""

from __future__ import annotations

import numpy as np
import pytest

from ubersim.viewer.charts import _scales


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
    scale = _scales(np.array(values))["y"]
    assert scale["range"] == pytest.approx(shown) and "auto" not in scale


def test_what_varies_fills_its_plot() -> None:
    assert _scales(np.array([0.0, 0.5]))["y"] == {"auto": True}
