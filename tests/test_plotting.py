"""Axes for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from ubersim.errors import UberSimError
from ubersim.plotting import new_figure, save, widen


def test_what_stands_still_is_not_blown_up() -> None:
    axes = new_figure(4, 3).subplots()
    axes.plot([0.0, 1.0], [0.5, 0.5 + 1e-11])
    widen(axes, 0.01)
    assert axes.get_ylim() == pytest.approx((0.495, 0.505))
    axes.plot([0.0, 1.0], [0.0, 1.0])
    axes.autoscale()
    before = axes.get_ylim()
    widen(axes, 0.01)
    assert axes.get_ylim() == before


def test_the_ending_says_what_kind_of_picture_it_is(tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match=r"plot.bmp should end in .png, .svg or .pdf"):
        save(new_figure(4, 3), tmp_path / "plot.bmp")
