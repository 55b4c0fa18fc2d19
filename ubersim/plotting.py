"""The one door to matplotlib, an extra: imported when the first figure is made, and with a word on how to get it."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError


def new_figure(width: float, height: float) -> Any:
    """An empty figure [inches], on no screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UberSimError("plots need matplotlib: pip install 'ubersim[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def set_title(figure: Any, text: str) -> None:
    """Says over all of it what it is of, in as many lines as that takes."""
    width = int(11 * figure.get_figwidth())  # characters
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, width)]
    figure.suptitle("\n".join(lines), fontsize="medium")


def save(figure: Any, picture: Path, dpi: int = 110) -> None:
    """Writes a figure; the ending of the name says what kind of picture it is."""
    if picture.suffix not in (".png", ".svg", ".pdf"):
        raise UberSimError(f"{picture} should end in .png, .svg or .pdf")
    figure.savefig(picture, dpi=dpi)


def widen(axes: Any, least: float) -> None:
    """Shows at least so much of the y axis, lest what stands still is blown up to the last digits of numbers."""
    low, high = axes.get_ylim()
    if high - low < least:
        middle = (low + high) / 2
        axes.set_ylim(middle - least / 2, middle + least / 2)


def polygon(corners: Any, color: Any) -> Any:
    """A filled polygon for `Axes.add_patch`."""
    from matplotlib.patches import Polygon

    return Polygon(corners, color=color)
