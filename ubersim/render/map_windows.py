"""Windows: the part of a shadow map that moving things reach. Only that has to be drawn anew."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Window = tuple[int, int, int, int]
"""First column and row, columns and rows [px of the map]."""

MARGIN = 2
"""Around what is reached [px]."""


def reached(clip_from_world: Array, centres: Array, radii: Array, size: int) -> Window:
    """What spheres (centres (N, 3), radii (N,)) may cover of a map with edges of `size` pixels; perhaps nothing.

    A sphere that has no place covers nothing, and one that reaches behind the eye may cover everything.
    """
    if len(centres) == 0:
        return 0, 0, 0, 0
    rows = clip_from_world[[0, 1, 3]]
    spread = radii[:, None] * np.sqrt((rows[:, :3] * rows[:, :3]).sum(axis=1))
    middles = centres @ rows[:, :3].T + rows[:, 3]
    low, high = middles - spread, middles + spread
    nearest = low[:, 2].min()
    if not isfinite(middles.sum()):
        somewhere = np.isfinite(middles).all(axis=1)
        if not somewhere.all():
            return reached(clip_from_world, centres[somewhere], radii[somewhere], size)
    if nearest <= 0:
        return 0, 0, size, size
    if rows[2, :3].any():
        # Rays meet in an eye: the quotient of two intervals is bounded by the quotients of their ends.
        ends = low / low[:, 2:], low / high[:, 2:], high / low[:, 2:], high / high[:, 2:]
        low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    first = [_pixel(place, size, -MARGIN) for place in low.min(axis=0).tolist()]
    last = [_pixel(place, size, MARGIN) for place in high.max(axis=0).tolist()]
    return first[0], first[1], last[0] - first[0], last[1] - first[1]


def _pixel(place: float, size: int, margin: int) -> int:
    """From the clip square to pixels."""
    return int(min(max(size * (place + 1) / 2 + margin, 0), size))


def within(clip_from_world: Array, window: Window, size: int) -> Array:
    """The matrix whose clip cube is that window of the map alone."""
    left, top, wide, high = window
    matrix = np.eye(4)
    matrix[0, 0], matrix[0, 3] = size / wide, (size - 2 * left) / wide - 1
    matrix[1, 1], matrix[1, 3] = size / high, (size - 2 * top) / high - 1
    return matrix @ clip_from_world
