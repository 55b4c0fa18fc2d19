"""Obstacles instead of distances: what a program makes of a scan, told at once: the F2000 paper's iconic laser."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import ImperfectDevice, Imperfection
from ubersim.components.sensors.perception import Feature, LandmarkNames
from ubersim.components.sensors.ranging import BeamScan, beams, fan
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.geometry import Array
from ubersim.protocol.quantity import Quantity

if TYPE_CHECKING:
    from ubersim.physics import RayBatch

COLUMNS = 3


@component
class ObstacleSensor(BeamScan):
    """Scans its own x-y plane as a `LidarSensor` does, and tells one row for each thing in the way.

    Neighbouring beams belong to one obstacle if their distances differ by less than `Gap`. `Noise`, `Bias` (of each
    beam) and `Resolution` are those of the distances [m].
    """

    dtype = "<f4"
    reading = (
        "rows of 3 f32, from right to left: bearing of the obstacle's middle [rad, left positive], distance of its "
        "nearest point [m], the angle that it takes up [rad]"
    )
    quantities = (Quantity("bearing", "rad"), Quantity("distance", "m"), Quantity("width", "rad"))

    gap: float = number(
        "from one beam to the next, what is farther apart is something else", unit="m", low=0, above=True, high=1e5,
        default=0.3,
    )  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        return -1, COLUMNS

    def features(self, landmarks: LandmarkNames) -> tuple[Feature, ...]:
        """None: how many obstacles there are depends on who stands around."""
        return ()

    @property
    def largest_reading(self) -> int:
        return 4 * COLUMNS * self.beams

    def build(self, mount: Mount, rng: np.random.Generator) -> ObstacleFinder:
        return ObstacleFinder(beams(mount, fan(self.angles()), self), self, self.imperfection(rng, self.beams))


class ObstacleFinder(ImperfectDevice):
    """The device."""

    def __init__(self, rays: RayBatch, sensor: ObstacleSensor, imperfection: Imperfection) -> None:
        super().__init__(imperfection)
        self._rays, self._near, self._gap = rays, sensor.near, sensor.gap
        self._angles = sensor.angles()
        self._beam = sensor.fov / max(1, sensor.beams - 1)
        self._closed = sensor.fov >= math.tau - 1e-9

    def sample(self) -> bytes:
        """The obstacles now."""
        distances = np.maximum(self.imperfection.of(self._rays.cast().distances), self._near)
        return self.rows(distances).astype("<f4").tobytes()

    def rows(self, distances: Array) -> Array:
        """Bearing, distance and width of each obstacle in a scan."""
        pieces = self._pieces(distances)
        if self._closed and len(pieces) > 1 and self._joined(distances, pieces[-1][-1], pieces[0][0]):
            pieces[0] = [*pieces.pop(), *pieces[0]]  # all around, the first and the last beam are neighbours
        rows = [self._row(distances, piece) for piece in pieces]
        return np.array(sorted(rows)).reshape(-1, COLUMNS)

    def _pieces(self, distances: Array) -> list[list[int]]:
        """The beams of each obstacle."""
        pieces: list[list[int]] = []
        for beam in np.flatnonzero(np.isfinite(distances)).tolist():
            if pieces and pieces[-1][-1] == beam - 1 and abs(distances[beam] - distances[beam - 1]) < self._gap:
                pieces[-1].append(beam)
            else:
                pieces.append([beam])
        return pieces

    def _joined(self, distances: Array, last: int, first: int) -> bool:
        ends = last == len(distances) - 1 and first == 0
        return ends and bool(abs(distances[last] - distances[first]) < self._gap)

    def _row(self, distances: Array, piece: list[int]) -> tuple[float, float, float]:
        begin, end = float(self._angles[piece[0]]), float(self._angles[piece[-1]])
        if end < begin:
            end += math.tau
        return math.remainder(0.5 * (begin + end), math.tau), float(distances[piece].min()), end - begin + self._beam
