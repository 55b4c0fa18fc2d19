"""The delay from a command to what follows from it, one by one: for commands that change, and hold between changes.

The response has a level for each value of the command; from one level to the next it goes on its own way, over one
sample or many. Where it sets out is found by extrapolation from its way between 10 and 40 %: exact for a jump and for a
ramp, and nearly so for a lag.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ubersim.identification.samples import DelaySamples, grid_of
from ubersim.signals.signal import Array, Signal

FEWEST = 12
"""Changes of the command that say something."""
_TAIL = 0.25
"""The last part of the time between two changes, in which the response has settled."""
_LOW, _HIGH = 0.1, 0.4


@dataclass(frozen=True)
class Changes:
    """When a command changed, and to what."""

    times: Array
    values: Array

    @staticmethod
    def of(command: Signal) -> Changes:
        """Repetitions of the same value are none; the first value is one."""
        changed = np.diff(command.values, prepend=np.nan) != 0
        return Changes(command.times[changed], command.values[changed])


def response_delays(command: Signal, response: Signal) -> DelaySamples | None:
    """From every change of the command to its response; None if the response has no level for each value."""
    changes = Changes.of(command)
    if len(changes.times) < FEWEST + 2:
        return None
    times, values = _latest(response.captured, response.values)
    windows = _windows(changes.times, times)
    before, after, noise = _levels(times, values, changes.times, windows)
    wanted = _line(changes.values[1:-1], after)
    if wanted is None:
        return None
    # Not of captures and changes alone: a slow sensor, told at its own rate, would look like long frames.
    grid = grid_of(np.concatenate([times, response.times, command.times]))
    step, noise = wanted - before, max(noise, 1e-12)
    usable = (np.abs(step) > 6 * noise) & (np.abs(step) > 0.2 * np.nanmedian(np.abs(step)))
    arrived = usable & (np.abs(after - wanted) < 0.3 * np.abs(step))
    lost = usable & (np.abs(after - before) < 0.3 * np.abs(step))
    found = []
    for number in np.flatnonzero(arrived):
        begin, end = windows[number + 1]
        inside = slice(max(0, begin - 1), end)
        share = (values[inside] - before[number]) / (after[number] - before[number])
        if (set_out := _onset(times[inside], share)) is not None:
            sent = changes.times[number + 1]
            scatter = noise / abs(step[number]) / (_HIGH - _LOW) * set_out[2]
            found.append((sent, set_out[0] - grid - sent, set_out[1] - grid - sent, scatter))
    if len(found) < FEWEST:
        return None
    sent, low, high, scatter = np.array(found).T
    error = max(float(np.median(scatter)), (grid or response.period) / 20)
    return DelaySamples(sent, low, high, error, int(arrived.sum() + lost.sum()), int(lost.sum()))


def _latest(times: Array, values: Array) -> tuple[Array, Array]:
    """Of readings that came together, the last one."""
    last = np.diff(times, append=np.inf) > 1e-9
    return times[last], values[last]


def _windows(changes: Array, times: Array) -> list[tuple[int, int]]:
    """Of every change but the last: the samples from it to the next one."""
    places = np.searchsorted(times, changes - 1e-9)
    return [(int(begin), int(end)) for begin, end in pairwise(places)]


def _levels(times: Array, values: Array, changes: Array, windows: list[tuple[int, int]]) -> tuple[Array, Array, float]:
    """Where the response was before and after each change but the first and the last, and how it scatters there."""
    levels, scatter = [], []
    for (begin, end), start, stop in zip(windows, changes[:-1], changes[1:], strict=True):
        settled = values[begin:end][times[begin:end] >= stop - _TAIL * (stop - start)]
        levels.append(float(np.median(settled)) if len(settled) else np.nan)
        if len(settled) > 2:
            scatter.append(float(np.median(np.abs(settled - levels[-1]))))
    found = np.array(levels)
    return found[:-1], found[1:], 1.4826 * float(np.median(scatter)) if scatter else 0.0


def _line(commands: Array, levels: Array) -> Array | None:
    """The levels that the commands ask for, by least absolute deviations, which lost commands do not disturb."""
    known = np.isfinite(levels)
    if known.sum() < FEWEST:
        return None
    matrix = np.stack([commands, np.ones_like(commands)], axis=1)
    weights = known.astype(np.float64)
    spread = float(np.ptp(levels[known])) or 1.0
    coefficients = np.zeros(2)
    for _ in range(50):
        root = np.sqrt(weights)[:, None]
        coefficients = np.linalg.lstsq(matrix * root, np.nan_to_num(levels) * root[:, 0], rcond=None)[0]
        left = np.abs(matrix @ coefficients - np.nan_to_num(levels))
        weights = known / np.maximum(left, 1e-6 * spread)
    wanted: Array = matrix @ coefficients
    typical = float(np.median(np.abs(wanted - levels)[known]))
    return wanted if typical < 0.1 * float(np.std(wanted)) else None


def _onset(times: Array, share: Array) -> tuple[float, float, float] | None:
    """Bounds of when the response set out, and how long it took from 10 to 40 % [s]."""
    over = np.flatnonzero(share >= _HIGH)
    if not len(over) or over[0] == 0:
        return None
    last = int(over[0])
    below = np.flatnonzero(share[:last] <= _LOW)
    if not len(below):
        return None
    first = int(below[-1])
    if last == first + 1:  # within one sample: anywhere between the two
        return float(times[first]), float(times[last]), 0.0
    low = _crossing(times, share, first, _LOW)
    high = _crossing(times, share, last - 1, _HIGH)
    begin = low - (high - low) * _LOW / (_HIGH - _LOW)
    place = int(np.searchsorted(times, begin + 1e-9)) - 1
    period = float(times[place + 1] - times[place]) if 0 <= place < len(times) - 1 else 0.0
    return begin, begin + period, high - low


def _crossing(times: Array, share: Array, place: int, level: float) -> float:
    part = (level - share[place]) / (share[place + 1] - share[place])
    return float(times[place] + part * (times[place + 1] - times[place]))
