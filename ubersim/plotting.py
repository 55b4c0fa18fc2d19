"""The one door to matplotlib, an extra: imported when the first figure is made, and with a word on how to get it."""

from __future__ import annotations

from typing import Any

from ubersim.errors import UberSimError


def new_figure(width: float, height: float) -> Any:
    """An empty figure [inches], on no screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UberSimError("plots need matplotlib: pip install 'ubersim[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def rectangle(corner: tuple[float, float], width: float, height: float, color: Any) -> Any:
    """A filled rectangle for `Axes.add_patch`."""
    from matplotlib.patches import Rectangle

    return Rectangle(corner, width, height, color=color)
