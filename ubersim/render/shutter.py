"""A shutter: each row of a picture gathers light for a while, and may end later than the row above it.

The instant of a picture is the end of its last row. Such a picture is mixed from still ones, each of where everything
was in the middle of a slice of that time, if it had moved so all along. Light adds up linearly: a byte holds its root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ubersim.render.camera import ShutterModel
from ubersim.render.jobs import Job

Array = NDArray[np.float64]
Bytes = NDArray[np.uint8]


class Slice(NamedTuple):
    """A part of the time in which a picture is taken, and the rows that gather light in it."""

    moment: float
    """Its middle, before the picture's instant and so negative [s]."""
    rows: slice
    shares: NDArray[np.float32]
    """Of the light of each of these rows, (rows, 1, 1)."""


@lru_cache(maxsize=64)
def slices(shutter: ShutterModel, height: int) -> tuple[Slice, ...]:
    """Those that some row of a picture needs, in order of time."""
    edges = np.linspace(-shutter.duration, 0.0, shutter.instants + 1)
    ends = shutter.readout * (np.arange(height) / max(height - 1, 1) - 1.0)
    if shutter.exposure:
        lit = np.minimum(ends[:, None], edges[1:]) - np.maximum(ends[:, None] - shutter.exposure, edges[:-1])
        shares = np.maximum(lit, 0.0)
        shares /= shares.sum(axis=1, keepdims=True)
    else:
        shares = np.zeros((height, shutter.instants))
        shares[np.arange(height), np.clip(np.searchsorted(edges, ends) - 1, 0, shutter.instants - 1)] = 1.0
    return tuple(_slices(edges, shares))


def _slices(edges: Array, shares: Array) -> Iterator[Slice]:
    for number, column in enumerate(shares.T):
        rows = np.flatnonzero(column)
        if len(rows):
            band = slice(int(rows[0]), int(rows[-1]) + 1)
            middle = float(edges[number] + edges[number + 1]) / 2
            yield Slice(middle, band, column[band, None, None].astype(np.float32))


def at(job: Job, moment: float) -> Job:
    """The same so much later, everything going on as it moves; the camera goes with the body that carries it."""
    motion = job.motion
    assert motion is not None
    turns = _turns(motion.angular_velocities, moment)
    positions = job.positions + moment * motion.linear_velocities
    rotations = np.matmul(turns, job.rotations)
    position, rotation = job.position, job.rotation
    if (row := motion.carrier) >= 0:
        position = positions[row] + turns[row] @ (position - job.positions[row])
        rotation = turns[row] @ rotation
    return replace(job, position=position, rotation=rotation, positions=positions, rotations=rotations, motion=None)


def _turns(velocities: Array, seconds: float) -> Array:
    """By how much bodies turn in a time that turn so fast, (N, 3, 3): Rodrigues' formula."""
    rates = np.sqrt((velocities * velocities).sum(axis=1))
    x, y, z = (velocities / np.where(rates > 0, rates, 1.0)[:, None]).T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    angles = (rates * seconds)[:, None, None]
    turns: Array = np.eye(3) + np.sin(angles) * cross + (1 - np.cos(angles)) * np.matmul(cross, cross)
    return turns


class GatheredLight:
    """What rows have gathered so far."""

    def __init__(self, height: int, width: int) -> None:
        self._light = np.zeros((height, width, 4), np.float32)

    def add(self, part: Slice, still: Bytes) -> None:
        """That of a slice, whose rows of the still picture are given."""
        light = np.square(still, dtype=np.float32)
        light *= part.shares
        self._light[part.rows] += light

    def picture(self) -> Bytes:
        """All of it, as bytes; then it is used up."""
        np.sqrt(self._light, out=self._light)
        return np.rint(self._light, out=self._light).astype(np.uint8)
