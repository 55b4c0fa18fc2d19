"""Where bodies were between two states that a log has kept, as their places and velocities say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def between(before: Array, after: Array, share: float, seconds: float) -> Array:
    """The states (bodies, 13) after `share` of the `seconds` from one to the other."""
    state = (1 - share) * before + share * after
    state[:, :3] = _place(before, after, share, seconds)
    state[:, 3:7] = _turned(before[:, 3:7], after[:, 3:7], share)
    return state


def _place(before: Array, after: Array, s: float, seconds: float) -> Array:
    """The cubic that has both places and both velocities (Hermite's)."""
    start, end = before[:, :3], after[:, :3]
    way: Array = (
        (1 + 2 * s) * (1 - s) ** 2 * start
        + s**2 * (3 - 2 * s) * end
        + seconds * (s * (1 - s) ** 2 * before[:, 7:10] + s**2 * (s - 1) * after[:, 7:10])
    )
    return way


def _turned(start: Array, end: Array, share: float) -> Array:
    """About one axis, at an even rate, the shorter way round."""
    cosine = (start * end).sum(axis=1, keepdims=True)
    end = np.where(cosine < 0, -end, end)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-9
    divisor = np.where(near, 1.0, sine)
    first = np.where(near, 1 - share, np.sin((1 - share) * angle) / divisor)
    second = np.where(near, share, np.sin(share * angle) / divisor)
    turned: Array = first * start + second * end
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    return turned
