"""Topics of logs over time, as a picture: curves of one unit share axes, scans are seen from above."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.description import read_robot
from ubersim.description.materials_file import read_materials
from ubersim.errors import UberSimError
from ubersim.plotting import new_figure, save, set_title, widen
from ubersim.recording.event import RecordedEvent
from ubersim.recording.latencies import latencies
from ubersim.recording.log import Log
from ubersim.recording.tables import Table, collect
from ubersim.timing.latency import Constant, LatencyModel

DASHES = ("-", "--", ":", "-.")
"""The first log's curves, the second's, and so on."""
_NARROWEST = 1e-6
"""Of an axis, in whatever unit."""
_FLAT, _ROUND = 2.0, 4.5
"""Heights of axes [inches]."""


@dataclass
class _Panel:
    """Axes, and what is drawn into them: tables with the number of their log and what they are called."""

    title: str
    unit: str
    angles: NDArray[np.float64] | None = None
    """Where the beams of a scan look [rad]."""
    curves: list[tuple[int, str, Table]] = field(default_factory=list)


def plot(
    logs: Sequence[Log], wanted: Sequence[str], picture: Path, *, begin: float = -math.inf, end: float = math.inf
) -> None:
    """Draws topics, or parts of them (`TOPIC.NAME`), one below the other, between two times [s].

    Several logs are drawn into the same axes, each with dashes of its own.
    """
    panels = _panels(logs, wanted, begin, end)
    heights = [_FLAT if panel.angles is None else _ROUND for panel in panels]
    figure = new_figure(9, 1.2 + sum(heights))
    grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
    shared: Any = None
    for place, panel in enumerate(panels):
        if panel.angles is not None:
            _draw_scan(figure.add_subplot(grid[place], projection="polar"), panel, logs)
        else:
            shared = figure.add_subplot(grid[place], sharex=shared)
            _draw(shared, panel, logs)
    if shared is not None:
        shared.set_xlabel("time [s]")
    set_title(figure, title(logs, wanted))
    save(figure, picture)


def title(logs: Sequence[Log], wanted: Sequence[str]) -> str:
    """Whose curves these are: the robots with their latencies, and their world."""
    lines = []
    for log in logs:
        robots = {event.robot: event for event in _joined(log)}
        named = [name for name in robots if any(text.startswith(f"/{name}/") for text in wanted)]
        told = [f"{name} (latency {latency_of(log, name, robots[name])})" for name in named]
        world = log.facts.get("world", "")
        parts = [", ".join(told), f"in {world}" if world else "", f"({log.path.name})" if len(logs) > 1 else ""]
        lines.append(" ".join(part for part in parts if part))
    return "\n".join(lines)


def latency_of(log: Log, robot: str, joined: RecordedEvent) -> str:
    """That of its commands, in words, and what it was changed to."""
    models = [str(known.model) for known in latencies(log) if known.robot == robot and not known.sensor]
    words = [word for word, _ in itertools.groupby(models)] or [str(_robot(log, joined).settings.latency)]
    return ", then ".join(words[:3]) + (" and so on" if len(words) > 3 else "")


def motor_latencies(log: Log, joined: RecordedEvent) -> dict[str, LatencyModel]:
    """What motors and motion models of a robot take themselves, once a command is executed."""
    robot = _robot(log, joined)
    return {each.name: each.latency for each in (*robot.motors, *robot.entity.motion) if each.latency != Constant(0.0)}


def _panels(logs: Sequence[Log], wanted: Sequence[str], begin: float, end: float) -> list[_Panel]:
    """The same for all logs: a topic has as many as its values have units."""
    panels: dict[tuple[str, str], _Panel] = {}
    for number, log in enumerate(logs):
        for text, whole in collect(log, wanted).items():
            first = max(math.ceil(max(begin / log.step, -1e15)), log.first)
            last = min(math.floor(min(end / log.step, 1e15)), _end_of(log, whole))
            table = whole.lasting(first, last)
            if not len(table.frames):
                raise UberSimError(f"{log.path} has nothing of {text} between {begin:g} and {end:g} s")
            angles = _angles(log, text) if len(table.quantities) > 1 else None
            for unit in dict.fromkeys(each.unit for each in table.quantities):
                part = table.of_unit(unit)
                panel = panels.setdefault((text, unit), _Panel(text, _label(part), angles))
                panel.curves.append((number, _which(logs, number), part))
    return list(panels.values())


def _end_of(log: Log, table: Table) -> int:
    """Its values hold until the robot leaves, or to the end of the log."""
    left = (item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "left")
    gone = [item.frame for item in left if table.topic.startswith(f"/{item.robot}/")]
    return min((frame for frame in gone if len(table.frames) and frame >= table.frames[-1]), default=log.last)


def _label(table: Table) -> str:
    """What stands beside the axis."""
    (quantity, *others) = table.quantities
    return f"[{quantity.unit}]" if others and quantity.unit else "" if others else str(quantity)


def _which(logs: Sequence[Log], number: int) -> str:
    return f" ({logs[number].path.stem})" if len(logs) > 1 else ""


def _draw(place: Any, panel: _Panel, logs: Sequence[Log]) -> None:
    for number, which, table in panel.curves:
        times, style = table.frames * logs[number].step, "steps-post" if table.holds else "default"
        for index, quantity in enumerate(table.quantities):
            place.plot(
                times, table.values[:, index], DASHES[number % len(DASHES)], color=f"C{index % 10}",
                label=quantity.name + which, drawstyle=style, linewidth=0.9,
            )  # fmt: skip
    widen(place, _NARROWEST)
    empty = "" if any(np.isfinite(table.values).any() for _, _, table in panel.curves) else ", nothing finite"
    place.set_title(f"{panel.title}{empty}", fontsize="medium")
    place.set_ylabel(panel.unit)
    place.grid(alpha=0.3)
    curves = sum(len(table.quantities) for _, _, table in panel.curves)
    if 1 < curves <= 16:
        place.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")


def _draw_scan(place: Any, panel: _Panel, logs: Sequence[Log]) -> None:
    """The last scan of each log, from above, its forward axis up."""
    place.set_theta_zero_location("N")
    when = []
    for number, which, table in panel.curves:
        assert panel.angles is not None
        distances = np.where(np.isfinite(table.values[-1]), table.values[-1], np.nan)
        place.plot(panel.angles, distances, ".", markersize=2, color=f"C{number}", label=which.strip(" ()"))
        empty = "" if np.isfinite(distances).any() else ", nothing in range"
        when.append(f"{table.frames[-1] * logs[number].step:.3f} s{empty}")
    place.set_title(f"{panel.title} [m] at {', '.join(when)}", fontsize="medium")
    if len(logs) > 1:
        place.legend(loc="upper left", bbox_to_anchor=(1.12, 1.0), fontsize="small")  # beside the names of directions


def _joined(log: Log) -> list[RecordedEvent]:
    return [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]


def _robot(log: Log, event: RecordedEvent) -> Any:
    return read_robot(event.document, materials=read_materials(log.materials))


def _angles(log: Log, topic: str) -> NDArray[np.float64] | None:
    """Where the beams look, if it is the topic of a scanner."""
    for event in _joined(log):
        for sensor in _robot(log, event).sensors if topic.startswith(f"/{event.robot}/") else ():
            if topic == f"/{event.robot}/{sensor.name}" and hasattr(sensor, "angles"):
                found: NDArray[np.float64] = sensor.angles()
                return found
    return None
