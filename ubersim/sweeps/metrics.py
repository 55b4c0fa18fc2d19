"""Numbers that tell of a run: ready ones, and functions of one's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ubersim.errors import UberSimError
from ubersim.sweeps.history import RunHistory
from ubersim.sweeps.sources import find

FALLEN = 45.0
"""A robot is fallen that is tilted by more than that [degrees]."""


def fell(run: RunHistory, limit: float | None = None) -> bool:
    """Whether it was ever tilted by more than 45°, or than `limit` degrees."""
    return bool((run.tilts > (limit or FALLEN)).any())


def fell_at(run: RunHistory, limit: float | None = None) -> float:
    """When it fell [s]; not a number if it did not."""
    over = np.flatnonzero(run.tilts > (limit or FALLEN))
    return float(run.times[over[0]]) if len(over) else math.nan


def settled(run: RunHistory, band: float | None = None) -> float:
    """When its tilt had come to within 1° (or `band`) of where it was in the end, for good [s]."""
    away = np.abs(run.tilts - run.tilts[-1]) > (band or 1.0)
    last = np.flatnonzero(away)
    return float(run.times[min(last[-1] + 1, len(away) - 1)]) if len(last) else float(run.times[0])


def rms(run: RunHistory, sensor: str) -> float:
    """Of a sensor's readings, about their mean."""
    values = run.readings(sensor)[:, 1]
    return float(np.std(values)) if len(values) else math.nan


def swing(run: RunHistory, seconds: float | None = None) -> float:
    """Between the largest and the smallest tilt in the last second, or in so many seconds [degrees]."""
    late = run.tilts[run.times >= run.times[-1] - (seconds or 1.0)]
    return float(np.ptp(late))


def distance(run: RunHistory) -> float:
    """From where it began to where it ended, over the ground [m]."""
    return float(np.hypot(*(run.positions[-1] - run.positions[0])[:2]))


def time_to_goal(run: RunHistory, goal: tuple[float, float, float]) -> float:
    """When it first came within `radius` of (x, y) [s]; not a number if it did not."""
    x, y, radius = goal
    near = np.flatnonzero(np.hypot(run.positions[:, 0] - x, run.positions[:, 1] - y) <= radius)
    return float(run.times[near[0]]) if len(near) else math.nan


READY: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (fell, fell_at, settled, rms, swing, distance, time_to_goal)
}


def prepare(run: RunHistory, metrics: tuple[tuple[str, Any], ...]) -> None:
    """Before a run: what will be asked for is watched."""
    for name, options in metrics:
        if name == "rms":
            run.watch(str(options))


def measure(
    run: RunHistory, metrics: tuple[tuple[str, Any], ...], sources: Mapping[str, str]
) -> dict[str, float | bool]:
    """After it."""
    measured: dict[str, float | bool] = {}
    for name, options in metrics:
        function = READY.get(name) or find(name, sources)
        found = function(run) if options is None else function(run, options)
        if isinstance(found, Mapping):
            measured |= {str(key): _plain(value) for key, value in found.items()}
        else:
            measured[label(name, options)] = _plain(found)
    return measured


def label(name: str, options: Any) -> str:
    """The name of a metric's column."""
    name = name.rpartition(":")[2]
    return (
        name
        if options is None
        else f"{name}_{'_'.join(map(str, options if isinstance(options, tuple) else [options]))}"
    )


def _plain(value: Any) -> float | bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UberSimError(f"a metric is a number or a truth value, not {value!r:.60}") from None
