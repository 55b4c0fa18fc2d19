"""Axes for people."""

from __future__ import annotations

import pytest

from ubersim.plotting import new_figure, widen


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
