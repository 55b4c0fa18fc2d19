"""Plots of what is selected: values over time, or over the beams of a scanner."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.quantity import Quantities
from ubersim.viewer.page import Page, uplot

Array = NDArray[np.float64]
SPAN = 10.0
"""What is kept [s of simulated time]."""
MOST_CURVES = 8
COLORS = ("#be3c2a", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f")
_EVERY = 3
"""A plot is drawn for every third instant: thirty times per second would cost more and show no more."""


class Curves:
    """Numbers over time."""

    def __init__(self, page: Page, names: Sequence[str]) -> None:
        self._count = min(len(names), MOST_CURVES)
        self._samples: deque[tuple[float, ...]] = deque(maxlen=1000)
        self._shown = 0
        series = [uplot.Series(label="t [s]")]
        series += [
            uplot.Series(label=name, stroke=color, width=1.5)
            for name, color in zip(names[:MOST_CURVES], COLORS, strict=False)
        ]
        nothing = np.zeros(1)
        self.plot = page.gui.add_uplot(
            tuple(nothing for _ in range(self._count + 1)),
            tuple(series),
            scales={"x": uplot.Scale(time=False), "y": uplot.Scale(auto=True)},
            aspect=1.7,
        )

    def add(self, time: float, values: Sequence[float]) -> None:
        """One more instant; time that runs back starts anew."""
        samples = self._samples
        if samples and time < samples[-1][0]:
            samples.clear()
        if samples and time == samples[-1][0]:
            return
        samples.append((time, *values[: self._count]))
        while samples[0][0] < time - SPAN:
            samples.popleft()
        self._shown += 1
        if self._shown % _EVERY == 0:
            self.plot.data = tuple(np.array(column) for column in zip(*samples, strict=True))


class UnitCurves:
    """Quantities over time: those of one unit share a plot."""

    def __init__(self, page: Page, quantities: Quantities) -> None:
        units = dict.fromkeys(each.unit for each in quantities)
        self._places = [[i for i, each in enumerate(quantities) if each.unit == unit] for unit in units]
        self._plots = [Curves(page, [str(quantities[i]) for i in places]) for places in self._places]

    def add(self, time: float, values: Sequence[float]) -> None:
        """One more instant."""
        for places, plot in zip(self._places, self._plots, strict=True):
            plot.add(time, [values[i] for i in places])


class Bars:
    """Many numbers of one instant, such as the distances of a scan."""

    def __init__(self, page: Page, places: Array, name: str, unit: str) -> None:
        gap = float(np.diff(places).mean()) if len(places) > 1 else 1.0
        # Each bar goes up on its left edge and down on its right one.
        self._edges = (places[:, None] + gap * np.array([-0.45, -0.45, 0.45, 0.45])).ravel()
        self._shown = 0
        self.plot = page.gui.add_uplot(
            (self._edges, np.zeros(len(self._edges))),
            (uplot.Series(label=unit), uplot.Series(label=name, stroke=COLORS[1], fill="rgba(31,119,180,0.35)")),
            scales={"x": uplot.Scale(time=False), "y": uplot.Scale(auto=True)},
            aspect=1.7,
        )

    def show(self, values: Array) -> None:
        """Another instant; what is infinite has no bar."""
        self._shown += 1
        if self._shown % _EVERY == 0:
            heights = np.where(np.isfinite(values), values, 0.0)
            self.plot.data = self._edges, (heights[:, None] * np.array([0.0, 1.0, 1.0, 0.0])).ravel()
