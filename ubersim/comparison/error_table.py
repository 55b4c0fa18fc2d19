"""A real log against a simulated one: shifted in time until they fit best, then topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ubersim.errors import UberSimError
from ubersim.signals import Signal, SignalSource
from ubersim.signals.signal import Array

_MOST_SAMPLES = 200_000
"""On which the shift is looked for."""
_OVERLAP = 0.5
"""Of the shorter log, that has to be left after a shift."""


@dataclass(frozen=True)
class TopicError:
    """How two signals differ where both are there."""

    name: str
    samples: int
    bias: float
    """Mean of the second less the first."""
    rms: float
    largest: float
    correlation: float


@dataclass(frozen=True)
class AlignedComparison:
    """All topics, after one shift for all of them."""

    shift: float
    """By so much the second log was moved in time [s]; its clock may have begun elsewhere."""
    topics: list[TopicError]

    def __str__(self) -> str:
        lines = [f"the second log is shifted by {self.shift:+.6g} s"]
        lines.append(f"{'topic':40} {'samples':>8} {'bias':>11} {'RMS':>11} {'largest':>11} {'correlation':>11}")
        for one in self.topics:
            numbers = f"{one.bias:11.4g} {one.rms:11.4g} {one.largest:11.4g} {one.correlation:11.4f}"
            lines.append(f"{one.name:40} {one.samples:8} {numbers}")
        return "\n".join(lines)


def compare_aligned(a: SignalSource, b: SignalSource, topics: Mapping[str, str]) -> AlignedComparison:
    """`topics`: names in the first, and what they are called in the second."""
    if not topics:
        raise UberSimError("say what belongs together: --topic tilt=/Segway/Tilt")
    pairs = {name: (a.signal(name), b.signal(other)) for name, other in topics.items()}
    shift = _best_shift(list(pairs.values()))
    return AlignedComparison(shift, [_errors(name, one, other.shifted(shift)) for name, (one, other) in pairs.items()])


def _errors(name: str, one: Signal, other: Signal) -> TopicError:
    inside = (one.captured >= other.captured[0]) & (one.captured <= other.captured[-1])
    if not inside.any():
        raise UberSimError(f"{name}: the two logs do not overlap in time")
    apart = other.at(one.captured[inside]) - one.values[inside]
    varies = float(np.std(one.values[inside])) * float(np.std(apart + one.values[inside])) > 0
    related = np.corrcoef(one.values[inside], apart + one.values[inside])[0, 1] if varies else np.nan
    return TopicError(
        name,
        int(inside.sum()),
        float(apart.mean()),
        float(np.sqrt(np.mean(apart**2))),
        float(np.abs(apart).max()),
        float(related),
    )


def _best_shift(pairs: list[tuple[Signal, Signal]]) -> float:
    """What has to be added to the second signals' times, so that the differences scatter least; a bias is no matter."""
    longest = max(float(np.ptp(signal.captured)) for pair in pairs for signal in pair)
    period = max(max(signal.period for pair in pairs for signal in pair), longest / _MOST_SAMPLES)
    width = 2 * (int(longest / period) + 2)
    begins = [min(pair[side].captured[0] for pair in pairs) for side in (0, 1)]
    total, shared = np.zeros(width), np.full(width, np.inf)
    for one, other in pairs:
        middle, spread = float(one.values.mean()), float(one.values.std()) or 1.0
        a, b = (_resampled(signal, begin, period, width) for signal, begin in zip((one, other), begins, strict=True))
        scatter, common = _scatter((a - middle) / spread, (b - middle) / spread)
        total += scatter
        shared = np.minimum(shared, common / min(np.isfinite(a).sum(), np.isfinite(b).sum()))
    total[shared < _OVERLAP] = np.inf
    best = int(np.argmin(total))
    left, middle, right = total[best - 1], total[best], total[(best + 1) % width]
    bend = left - 2 * middle + right
    between = 0.5 * (left - right) / bend if np.isfinite(bend) and bend > 0 else 0.0
    lag = best + between - (width if best > width // 2 else 0)
    shift = float(begins[0] - begins[1] + lag * period)
    return 0.0 if abs(shift) < 1e-3 * period else shift


def _resampled(signal: Signal, begin: float, period: float, width: int) -> Array:
    """On a common raster; nan where there is nothing."""
    times: Array = begin + period * np.arange(width, dtype=np.float64)
    inside = (times >= signal.captured[0] - 1e-9) & (times <= signal.captured[-1] + 1e-9)
    return np.where(inside, signal.at(times), np.nan)


def _scatter(a: Array, b: Array) -> tuple[Array, Array]:
    """For every shift of the second: the variance of the difference where both are there, and in how many places."""

    def correlated(one: Array, other: Array) -> Array:
        return np.fft.irfft(np.fft.rfft(one) * np.conj(np.fft.rfft(other)), len(one))

    here, there = np.isfinite(a).astype(float), np.isfinite(b).astype(float)
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    common = correlated(here, there)
    count = np.maximum(common, 1.0)
    squares = correlated(a**2, there) + correlated(here, b**2) - 2 * correlated(a, b)
    mean = (correlated(a, there) - correlated(here, b)) / count
    return np.maximum(squares / count - mean**2, 0.0), common
