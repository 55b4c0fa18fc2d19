"""Command and response before and after the shift, and the delays that were found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ubersim.identification.identify import Identification
from ubersim.identification.samples import DelaySamples
from ubersim.plotting import new_figure
from ubersim.signals.signal import Array, Signal

_SHOWN = 12
"""Changes of the command that are in the picture."""
_NARROWEST = 0.1
"""What is known exactly is still drawn so wide [ms]."""


def plot(found: Identification, picture: Path) -> None:
    """Above, both signals as logged and with the command shifted; below, a histogram per delay."""
    stages = found.samples
    figure = new_figure(10, 6)
    grid = figure.add_gridspec(2, max(1, len(stages)))
    _signals(figure.add_subplot(grid[0, :]), found)
    for column, (stage, samples) in enumerate(stages.items()):
        delay = next(one for one in found.delays if one.stage == stage)
        place = figure.add_subplot(grid[1, column])
        _histogram(place, samples)
        place.set_title(f"{stage}: {delay.fit.model}", fontsize="medium")
        place.axvline(1000 * delay.fit.mean, color="tab:red", linewidth=1.0)
    figure.savefig(picture, dpi=110)


def _signals(place: Any, found: Identification) -> None:
    command, response = found.command, found.response
    changes = command.times[np.diff(command.values, prepend=np.nan) != 0]
    middle = len(changes) // 2
    begin, end = changes[max(0, middle - _SHOWN // 2)], changes[min(len(changes) - 1, middle + _SHOWN // 2)]
    end = min(max(end, begin + 20 * found.total), begin + 10.0)
    _draw(place, command, begin, end, 0.0, "tab:blue", "command as logged", "--")
    _draw(place, command, begin, end, found.total, "tab:blue", f"command {1000 * found.total:.1f} ms later", "-")
    other = place.twinx()
    inside = (response.times >= begin) & (response.times <= end)
    other.plot(response.times[inside], response.values[inside], ".-", color="tab:orange", markersize=2, linewidth=0.8)
    place.set_ylabel(command.name, color="tab:blue")
    other.set_ylabel(response.name, color="tab:orange")
    place.set_xlabel("time [s]")
    place.legend(loc="upper right", fontsize="small")
    place.grid(alpha=0.3)


def _draw(
    place: Any, command: Signal, begin: float, end: float, shift: float, color: str, label: str, style: str
) -> None:
    times: Array = np.linspace(begin, end, 4000)
    place.plot(times, command.at(times - shift, hold=True), style, color=color, label=label, linewidth=0.9)


def _histogram(place: Any, samples: DelaySamples) -> None:
    """Each delay is somewhere between two bounds, and counts evenly between them; without a lower one, at the upper."""
    latest = 1000 * samples.high
    earliest = np.where(np.isfinite(samples.low), 1000 * samples.low, latest)
    width: Array = np.maximum(latest - earliest, _NARROWEST)
    edges: Array = np.linspace(float(earliest.min()) - _NARROWEST, float((earliest + width).max()) + _NARROWEST, 61)
    passed = [float(np.clip((edge - earliest) / width, 0.0, 1.0).sum()) for edge in edges.tolist()]
    place.stairs(np.diff(passed), edges, fill=True, color="tab:grey")
    place.set_xlabel("delay [ms]")
