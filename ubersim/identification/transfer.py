"""The delay from a stream of commands to a response of whatever dynamics: that with which a difference equation fits.

    y[n] = a1 y[n-1] + a2 y[n-2] + a3 y[n-3] + b1 u[n-d] + b2 u[n-d-1] + c

is fitted for every d. What it finds is one number, the delay that all commands have in common: jitter and loss it
cannot tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ubersim.signals.signal import Array, Signal

_PAST = 3
_LONGEST = 2.0
"""Of the delays that are tried [s]."""
_CONFIDENT = 3.84
"""Twice the drop of the log likelihood within 95 % confidence."""


@dataclass(frozen=True)
class Transfer:
    """The delay that fits best."""

    delay: float
    """[s]"""
    interval: tuple[float, float]
    """95 % confidence, at least a sample wide [s]."""
    explained: float
    """The part of the response's changes that the command explains, beyond what its own past does."""


def transfer_delay(command: Signal, response: Signal) -> Transfer:
    """The delay between two signals, on the raster of the response."""
    period = response.period
    count = int((response.captured[-1] - response.captured[0]) / period)
    times = response.captured[0] + period * np.arange(count)
    y, u = response.at(times), command.at(times + 1e-9, hold=True)
    most = max(2, min(round(_LONGEST / period), count // 4, 400))
    rows = slice(most + _PAST + 1, count)
    y, u = y - y.mean(), u - u.mean()
    own = [y[rows.start - k : count - k] for k in range(1, _PAST + 1)] + [np.ones(count - rows.start)]
    alone = _left_over(own, y[rows])
    left = np.array([_left_over([*own, *_delayed(u, rows, d)], y[rows]) for d in range(1, most)])
    best = int(np.argmin(left))
    within = np.flatnonzero((count - rows.start) * np.log(left / max(left[best], 1e-300)) < _CONFIDENT)
    # A command takes effect in the step after it, so that a delay of one sample is a latency of none.
    interval = (float(within[0] - 1) * period, float(within[-1]) * period)
    return Transfer(best * period, (max(0.0, interval[0]), interval[1]), 1.0 - float(left[best] / max(alone, 1e-300)))


def _delayed(u: Array, rows: slice, delay: int) -> list[Array]:
    return [u[rows.start - d : rows.stop - d] for d in (delay, delay + 1)]


def _left_over(columns: list[Array], wanted: Array) -> float:
    """The sum of squares that a linear combination leaves; by normal equations, which are small."""
    gram = np.array([[float(one @ other) for other in columns] for one in columns])
    gram += np.diag(1e-12 * np.diag(gram) + 1e-300)
    coefficients = np.linalg.solve(gram, np.array([float(column @ wanted) for column in columns]))
    left = wanted - sum(c * column for c, column in zip(coefficients, columns, strict=True))
    return float(left @ left) + 1e-300
