"""How late a robot's commands and readings were: what was sent when, what acted when, and how the delays scatter."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.plotting import new_figure, save, set_title
from ubersim.protocol.suggestion import suggestion
from ubersim.recording.event import RecordedEvent
from ubersim.recording.latencies import COMMANDS, Delays, changes, delays
from ubersim.recording.log import Log
from ubersim.recording.plot import latency_of, motor_latencies

MOST_ROWS = 6
"""Commands, and so many sensors but one; those that are the latest of all come first."""
ARROWS = 30
"""In the busiest row of the timeline, unless delays are so long that few of them would end."""
MOST_ARROWS = 150
"""In a row; of more, some are left out."""
WHOLE = 2.5
"""So many of the longest delays fit into the timeline, one after the other."""
MOST_BARS = 60
"""Of a histogram."""


def plot_latency(
    log: Log, robot: str, picture: Path, *, begin: float = -math.inf, end: float = math.inf
) -> dict[str, NDArray[np.float64]]:
    """Draws a timeline, the delays over time and their histograms, between two times [s].

    Returns the delays of commands (under an empty name) and of each sensor's readings [ms].
    """
    events = [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]
    joined = next((event for event in events if event.robot == robot), None)
    if joined is None:
        known = suggestion(robot, (event.robot for event in events))
        raise UberSimError(f"there is no robot {robot!r} in {log.path}; {known}")
    found = {name: _between(each, begin / log.step, end / log.step) for name, each in delays(log, robot).items()}
    found = {name: each for name, each in found.items() if len(each.ended)}
    if not found:
        raise UberSimError(f"{log.path} does not say when anything of {robot} was sent or captured in that time")
    late: dict[str, NDArray[np.float64]] = {
        name: (each.ended - each.begun).astype(np.float64) * (log.step * 1e3) for name, each in found.items()
    }
    rows = sorted(found, key=lambda name: (name != COMMANDS, -float(late[name].mean())))[:MOST_ROWS]
    figure = new_figure(10, 2.2 + 1.0 * len(rows) + 4.4)
    grid = figure.add_gridspec(3, 1, height_ratios=[1.2 + 0.9 * len(rows), 2.2, 2.2])
    _draw_timeline(figure.add_subplot(grid[0]), {name: found[name] for name in rows}, log.step)
    _draw_delays(figure.add_subplot(grid[1]), {name: (found[name], late[name]) for name in rows}, log, robot)
    _draw_histogram(figure.add_subplot(grid[2]), {name: late[name] for name in rows}, log.step)
    world = log.facts.get("world", "")
    where = f" in {world}" if world else ""
    slower = "".join(f"; {motor} acts {late} after that" for motor, late in motor_latencies(log, joined).items())
    set_title(figure, f"{robot}{where}, latency {latency_of(log, robot, joined)}{slower}")
    save(figure, picture)
    return late


def _between(each: Delays, first: float, last: float) -> Delays:
    rows = (each.ended >= first) & (each.begun <= last)
    return Delays(each.begun[rows], each.ended[rows])


def _draw_timeline(place: Any, found: dict[str, Delays], step: float) -> None:
    """An arrow from when it was sent or captured to when it was executed or delivered, for a short while."""
    start = max(int(each.begun[0]) for each in found.values())
    busiest = max(len(each.begun) / max(1, each.ended[-1] - each.begun[0]) for each in found.values())
    longest = max(float((each.ended - each.begun).mean()) for each in found.values())
    stop = start + math.ceil(max(ARROWS / busiest, WHOLE * longest))
    stop = min(stop, max(int(each.ended[-1]) for each in found.values()))
    words: list[str] = []
    for row, (name, each) in enumerate(found.items()):
        top, bottom = -1.5 * row, -1.5 * row - 1.0
        shown = np.flatnonzero((each.begun >= start) & (each.begun <= stop))
        apart = math.ceil(len(shown) / MOST_ARROWS)
        shown = shown[::apart] if apart else shown
        words += _words(name, apart)
        for index in shown.tolist():
            ends = each.begun[index] * step, each.ended[index] * step
            place.plot(ends, (top, bottom), color=f"C{row}", linewidth=0.8)
        place.plot(each.begun[shown] * step, np.full(len(shown), top), "|", color=f"C{row}", markersize=8)
        place.plot(each.ended[shown] * step, np.full(len(shown), bottom), "v", color=f"C{row}", markersize=4)
    places = [-1.5 * row - half for row in range(len(found)) for half in (0.0, 1.0)]
    place.set_yticks(places, words, fontsize="small")
    margin = max(1, stop - start) / 40
    place.set_xlim((start - margin) * step, (stop + margin) * step)
    place.set_xlabel("time [s]")
    place.set_title("what was sent when, and what acted when", fontsize="medium")
    place.grid(axis="x", alpha=0.3)


def _words(name: str, apart: int) -> tuple[str, str]:
    some = f" (1 of {apart})" if apart > 1 else ""
    return (f"command sent{some}", "executed") if name == COMMANDS else (f"{name} captured{some}", "delivered")


def _draw_delays(place: Any, found: dict[str, tuple[Delays, NDArray[np.float64]]], log: Log, robot: str) -> None:
    for row, (name, (each, late)) in enumerate(found.items()):
        place.plot(each.begun * log.step, late, ".", markersize=2, color=f"C{row}", label=name or "commands")
    first = min(each.begun[0] for each, _ in found.values())
    last = max(each.begun[-1] for each, _ in found.values())
    for change in changes(log):
        if change.robot == robot and change.sensor in found and first <= change.frame <= last:
            place.axvline(change.frame * log.step, color="grey", linewidth=0.8, linestyle="--")
    place.set_ylabel("delay [ms]")
    place.set_xlabel("time at which it was sent or captured [s]")
    place.grid(alpha=0.3)
    place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", markerscale=4)


def _draw_histogram(place: Any, late: dict[str, NDArray[np.float64]], step: float) -> None:
    """Delays are whole frames, and a bar is so many of them."""
    most = round(max(float(values.max()) for values in late.values()) / (step * 1e3))
    width = math.ceil((most + 1) / MOST_BARS)
    edges = (np.arange(math.ceil((most + 1) / width) + 1) * width - 0.5) * (step * 1e3)
    for row, (name, values) in enumerate(late.items()):
        told = f"{name or 'commands'}: {values.mean():.1f} ± {values.std():.1f} ms"
        share = np.full(len(values), 100 / len(values))
        place.hist(values, edges, color=f"C{row}", alpha=0.6, label=told, weights=share)
    place.set_xlabel("delay [ms]")
    place.set_ylabel("share [%]")
    place.grid(alpha=0.3)
    place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
