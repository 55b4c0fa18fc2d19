"""Drawings of what is measured: curves over time, scans around their scanner, lists. Each has a table, too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.quantity import Quantities
from ubersim.viewer.page import Page, uplot
from ubersim.viewer.traces import Traces

Array = NDArray[np.float64]
MOST_CURVES = 8
"""In one plot."""
COLORS = ("#be3c2a", "#1f77b4", "#217821", "#7b4bab", "#b37400", "#0c7f8c", "#8c564b", "#5f5f5f")
_ASPECT = 1.75
_NARROWEST = 0.002
"""What varies by less is drawn in an axis of that size: by itself it would be blown up to noise, or have no size."""


class UnitCurves:
    """Quantities over time: those of one unit share a plot."""

    def __init__(self, page: Page, traces: Traces) -> None:
        self._traces = traces
        quantities = traces.quantities
        units = dict.fromkeys(each.unit for each in quantities)
        self._places = [
            [place for place, each in enumerate(quantities) if each.unit == unit][:MOST_CURVES] for unit in units
        ]
        self.plots = [
            self._plot(page, places, unit) for places, unit in zip(self._places, units, strict=True)
        ]  # fmt: skip

    def _plot(self, page: Page, places: Sequence[int], unit: str) -> Any:
        names = [self._traces.quantities[place].name for place in places]
        series = [uplot.Series(label="t [s]")]
        series += [
            uplot.Series(label=name, stroke=color, width=1.5) for name, color in zip(names, COLORS, strict=False)
        ]
        nothing = np.zeros(1)
        axes = uplot.Axis(label="t [s]", labelSize=16, size=34), uplot.Axis(label=unit or "1", labelSize=18, size=62)
        page.gui.add_html(legend_html(names))
        return page.gui.add_uplot(
            tuple(nothing for _ in range(len(places) + 1)),
            tuple(series),
            scales=_scales(nothing, nothing),
            axes=axes,
            aspect=_ASPECT,
            padding=(10, 16, 0, 0),
        )

    def draw(self) -> None:
        """What there is by now."""
        for places, plot in zip(self._places, self.plots, strict=True):
            data = self._traces.drawn(places)
            if len(data[0]):
                plot.data = data
                scales = _scales(data[0], np.concatenate(data[1:]))
                if scales != plot.scales:
                    plot.scales = scales


def _scales(times: Array, values: Array) -> dict[str, uplot.Scale]:
    """Time without dates, a second of it at a single instant; heights never narrower than can be labelled."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    height = uplot.Scale(auto=True)
    if high - low < _NARROWEST:
        middle = _NARROWEST * round((low + high) / 2 / _NARROWEST)
        height = uplot.Scale(range=(middle - _NARROWEST, middle + _NARROWEST))
    begin, end = float(times[0]), float(times[-1])
    width = uplot.Scale(time=False) if end > begin else uplot.Scale(time=False, range=(begin, begin + 1.0))
    return {"x": width, "y": height}


def legend_html(names: Sequence[str]) -> str:
    """Which curve is which."""
    entries = (f'<span style="--c:{color}">{escape(name)}</span>' for name, color in zip(names, COLORS, strict=False))
    return f'<div class="us-legend">{"".join(entries)}</div>'


class PolarPlot:
    """A scan, seen from above: ahead is up."""

    def __init__(self, page: Page, angles: Array, farthest: float, unit: str) -> None:
        self._angles, self._unit = angles, unit
        self._farthest = farthest
        self.values = np.full(len(angles), np.nan)
        """The newest scan."""
        self.drawing = page.gui.add_html("")

    def draw(self) -> None:
        """The newest scan; what is infinite has no point."""
        self.drawing.content = polar_svg(self._angles, self.values, self._farthest, self._unit)

    def table(self) -> str:
        """As CSV: a row for each ray."""
        head = f'"angle [rad]","distance [{self._unit}]"'
        rows = (f"{angle:.9g},{value:.9g}" for angle, value in zip(self._angles, self.values, strict=True))
        return "\n".join([head, *rows, ""])


def polar_svg(angles: Array, values: Array, farthest: float, unit: str) -> str:
    """A drawing 320 wide: rings with their distances, the scan as an area, hits as points."""
    seen = np.isfinite(values)
    reach = _round_up(min(farthest, float(values[seen].max()) if seen.any() else farthest))
    scale, middle = 140.0 / reach, 160.0
    lengths = np.where(seen, np.minimum(values, reach), reach) * scale
    x, y = middle - lengths * np.sin(angles), middle - lengths * np.cos(angles)
    rings = "".join(
        f'<circle cx="160" cy="160" r="{140 * part:.1f}" fill="none" stroke="#c3c8ce"/>'
        f'<text x="163" y="{160 - 140 * part + 12:.1f}" fill="#424a53" font-family="system-ui, sans-serif" '
        f'font-size="11">{reach * part:g} {escape(unit)}</text>'  # said here: it is saved without the style sheet
        for part in (0.5, 1.0)
    )
    area = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    hits = "".join(f"M{a:.1f} {b:.1f}h.01" for a, b, hit in zip(x, y, seen, strict=True) if hit)
    return (
        '<svg class="us-polar" viewBox="0 0 320 320" role="img" aria-label="scan seen from above" '
        f'xmlns="http://www.w3.org/2000/svg">{rings}<path d="M160 148l-6 18h12z" fill="#424a53"/>'
        f'<polygon points="160,160 {area}" fill="#1f77b4" fill-opacity="0.18"/>'
        f'<path d="{hits}" stroke="#be3c2a" stroke-width="3" stroke-linecap="round"/></svg>'
    )


def _round_up(value: float) -> float:
    """To 1, 2 or 5 times a power of ten."""
    if not 0 < value < math.inf:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= value * (1 - 1e-9))


_NUMBER = "number"
"""The first column of a list in which things have a name instead."""


class RowList:
    """A list, such as what a camera of the level `objects` tells: a row for each thing, by name where it has one."""

    def __init__(self, page: Page, quantities: Quantities, names: Mapping[int, str]) -> None:
        self._heads = [str(quantity) for quantity in quantities]
        self._names = names if self._heads[:1] == [_NUMBER] else {}
        if self._names:
            self._heads[0] = "object"
        self.rows = np.empty((0, len(self._heads)))
        """The newest list."""
        self.drawing = page.gui.add_html("")

    def draw(self) -> None:
        """The newest list."""
        heads = "".join(f"<th>{escape(head).replace(' [', '<br>[')}</th>" for head in self._heads)
        cells = ([escape(self._cell(place, value)) for place, value in enumerate(row)] for row in self.rows)
        rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
        nothing = f'<tr><td colspan="{len(self._heads)}">nothing in sight</td></tr>'
        table = f'<table class="us-table"><tr>{heads}</tr>{rows or nothing}</table>'
        self.drawing.content = f'<div class="us-list">{table}</div>'

    def _cell(self, place: int, value: float) -> str:
        if place == 0 and self._names:
            return self._names.get(int(value), f"{value:g}")
        return f"{value:.3f}"

    def table(self) -> str:
        """As CSV: a row for each thing."""
        head = ",".join(f'"{head}"' for head in self._heads)
        named = 1 if self._names else 0
        rows = (
            ",".join(
                [*(f'"{self._cell(0, value)}"' for value in row[:named]), *(f"{value:.9g}" for value in row[named:])]
            )
            for row in self.rows
        )
        return "\n".join([head, *rows, ""])
