"""What is wrong with a log, in words: a number that was computed from nothing would look like any other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ubersim.identification.responses import Changes
from ubersim.identification.samples import DelaySamples
from ubersim.identification.sensing import GAP
from ubersim.signals.signal import Array, Signal

_SHORTEST = 50
"""Instants that a response must have."""
_LARGEST = 1e100
"""Values whose squares can be added up."""
_INSTANT = 1e-9
"""What no clock of a log can tell apart [s]."""
_FASTEST_DRIFT = 20e-6
"""Of two good clocks against each other [s/s]."""
_MISSING = 0.2
"""The part of a log's time that may lie in gaps."""


def flaws_of(command: Signal, response: Signal) -> Iterator[str]:
    """What makes an answer impossible, before anything is computed."""
    if len(Changes.of(command).times) < 3:
        yield f"no excitation: {command.name} never changes, so that nothing can answer to it"
    for signal in (command, response):
        if (largest := float(np.abs(signal.values).max())) > _LARGEST:
            yield f"{signal.name} has values of up to {largest:g}; nothing can be computed with more than {_LARGEST:g}"
    if (instants := len(np.unique(np.rint(response.captured / _INSTANT)))) < _SHORTEST:
        yield f"{response.name} has samples of {instants} instants; {_SHORTEST} are the least"
    elif float(np.ptp(response.values)) == 0.0:
        yield f"no response: {response.name} is always {response.values[0]:g}"
    if response.times[0] > command.times[-1] or command.times[0] > response.times[-1]:
        yield f"{command.name} and {response.name} do not overlap in time: their clocks differ"
    gaps = gaps_of(response)
    if len(gaps) and gaps.sum() > _MISSING * (response.captured[-1] - response.captured[0]):
        yield f"missing samples: {response.name} lacks {gaps.sum():.2g} s in {len(gaps)} gaps"


def remarks_of(command: Signal, response: Signal) -> Iterator[str]:
    """What should be known about the answer."""
    if len(gaps := gaps_of(response)):
        yield f"missing samples: {response.name} has {len(gaps)} gaps, the longest {gaps.max():.2g} s"


def gaps_of(response: Signal) -> Array:
    """Times without samples that are longer than losses make them [s]."""
    spaces = np.diff(response.captured)
    found: Array = spaces[spaces > GAP * response.period] if response.period else np.zeros(0)
    return found


def drift_of(samples: DelaySamples, what: str) -> str:
    """Delays that grow or shrink all the time; empty if they do not."""
    if len(samples) < 20 or float(np.ptp(samples.times)) == 0.0:
        return ""
    middles, times = samples.middles, samples.times - samples.times.mean()
    slope = float(np.sum(times * middles) / np.sum(times**2))
    left = middles - middles.mean() - slope * times
    uncertain = float(np.sqrt(np.sum(left**2) / (len(left) - 2) / np.sum(times**2)))
    if abs(slope) < _FASTEST_DRIFT or abs(slope) < 6 * uncertain:
        return ""
    return f"clock drift: the delay of {what} changes by {slope * 1e6:+.0f} µs per second; the clocks run apart"


def reversal_of(samples: DelaySamples, what: str) -> str:
    """Effects that come before their causes; empty if they do not."""
    early = float((samples.high < -1e-6).mean())
    return f"clock offset: {early:.0%} of {what} come before their cause; the clocks differ" if early > 0.05 else ""
