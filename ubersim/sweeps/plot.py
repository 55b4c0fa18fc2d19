"""A metric over the parameters: a curve over one, a map over two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ubersim.plotting import new_figure
from ubersim.sweeps.results import Results

_UNITS = {"latency": "ms", "think": "ms", "swing": "°", "fell_at": "s", "settled": "s", "distance": "m"}
_FEW = 12
"""So many values of a parameter are the ticks of its axis."""


def plot(results: Results, metric: str, picture: Path) -> bool:
    """False if there is nothing to be plotted: no parameter that differs, or none that is a number."""
    varied = [name for name in results.parameters if np.isfinite(results.numbers(name)).all()]
    if not varied or metric not in results.text:
        return False
    figure = new_figure(7.5, 5)
    place = figure.subplots()
    if len(varied) == 1:
        _curve(place, results, metric, varied[0])
    else:
        draw_map(figure, place, results, metric, varied[0], varied[1])
    figure.savefig(picture, dpi=110)
    return True


def _curve(place: Any, results: Results, metric: str, name: str) -> None:
    values, means, deviations = results.means(metric, name)
    place.errorbar(values[:, 0], means, yerr=deviations if deviations.any() else None, marker="o", markersize=3)
    place.set(xlabel=_labelled(name), ylabel=_labelled(metric))
    place.grid(alpha=0.3)


def draw_map(figure: Any, place: Any, results: Results, metric: str, across: str, up: str) -> None:
    """Cells where all combinations were run, points where they were drawn."""
    values, means, _ = results.means(metric, across, up)
    x, y = np.unique(values[:, 0]), np.unique(values[:, 1])
    if len(x) * len(y) == len(values):
        drawn = place.pcolormesh(x, y, means.reshape(len(x), len(y)).T, shading="nearest")
        for axis, ticks in ((place.xaxis, x), (place.yaxis, y)):
            if len(ticks) <= _FEW:  # cells reach beyond the values that were run
                axis.set_ticks(ticks)
    else:
        drawn = place.scatter(values[:, 0], values[:, 1], c=means, s=18)
    figure.colorbar(drawn, label=_labelled(metric))
    place.set(xlabel=_labelled(across), ylabel=_labelled(up))


def _labelled(name: str) -> str:
    """With its unit, if that is known: not of programs' arguments and of metrics of one's own."""
    return f"{name} [{_UNITS[name]}]" if name in _UNITS else name
