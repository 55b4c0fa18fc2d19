"""p(reading | pose) of one sensor: a table of what it tells at each pose without noise, and a Gaussian about that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.perception import Feature, LandmarkNames, Perceptual
from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.league.localization.grid import Cells, PoseGrid

UNKNOWN = -1.0
"""The probability at poses for which there is no expectation."""


@dataclass(frozen=True)
class Tolerance:
    """How far a good reading may be from the table, beyond the sensor's own errors."""

    distance: float = 0.1
    """Standard deviation of distances [m]: cells, and what a field's drawing does not say."""
    angle: float = math.radians(3)
    """Standard deviation of angles [rad]."""
    surprise: float = 0.05
    """Probability of a value that nothing explains, as when something stands in the way."""
    missed: float = 0.4
    """Probability of not seeing what should be in sight."""
    independent: float = 8.0
    """How many of a reading's values count in full: neighbouring beams err together."""


class PerceptualModel:
    """Of one sensor on one field: `learn_probability` fills it pose by pose, `probability` asks it about many."""

    def __init__(
        self,
        sensor: Perceptual,
        grid: PoseGrid,
        landmarks: LandmarkNames,
        learned: tuple[NDArray[np.float32], NDArray[np.bool_]] | None = None,
        tolerance: Tolerance | None = None,
    ) -> None:
        """`learned` is what another one learned: its `table` and `known`."""
        self.sensor, self.grid, self.landmarks = sensor, grid, landmarks
        self.features: Sequence[Feature] = sensor.features(landmarks)
        """What the columns of the table are."""
        shape = len(grid), len(self.features)
        if learned is None:
            learned = np.full(shape, np.nan, dtype=np.float32), np.zeros(len(grid), dtype=np.bool_)
        self.table: NDArray[np.float32] = learned[0]
        """The expectation of every feature at every node; not a number for what is not in sight."""
        self.known: NDArray[np.bool_] = learned[1]
        """At which nodes it has been learned."""
        if self.table.shape != shape:
            raise UberSimError(f"the table of a sensor has the shape {self.table.shape}; its sensor needs {shape}")
        self.tolerance = tolerance or Tolerance()
        self._angular = np.array([feature.unit == "rad" for feature in self.features])
        self._margin = np.where(self._angular, self.tolerance.angle, self.tolerance.distance).astype(np.float32)
        errors = [(feature.error, feature.relative_error) for feature in self.features]
        self._errors = np.array(errors, dtype=np.float32).reshape(-1, 2).T
        self._data: Array | None = None

    def set_data(self, reading: Any) -> None:
        """The reading that everything after this is about."""
        self._data = self.sensor.observed(reading, self.landmarks)

    def imagine(self, pose: Array) -> None:
        """As `set_data`, with what the sensor would tell at a pose without any error."""
        self._data = self.expectation(np.asarray(pose, dtype=float).reshape(1, 3))[0]

    def learn_probability(self, pose: Array) -> None:
        """The reading is what is to be expected at the node nearest to this pose: x, y [m] and heading [rad]."""
        node = self.grid.node(pose)
        self.table[node], self.known[node] = self._reading(), True

    def probability(self, poses: Array) -> Array:
        """Of the reading at each pose, (N, 3): from 0 to 1; `UNKNOWN` where the table knows nothing."""
        logarithms = self.log_probability(self.grid.cells(np.asarray(poses, dtype=float)))
        return np.where(np.isnan(logarithms), UNKNOWN, np.exp(logarithms))

    def log_probability(self, cells: Cells, used: NDArray[np.int64] | None = None) -> Array:
        """The logarithm of that, not a number where the table knows nothing; `used` are the features to look at."""
        used = np.arange(len(self.features)) if used is None else used
        values, angular, margin = self._reading()[used].astype(np.float32), self._angular[used], self._margin[used]
        expected = self._between(cells, used)
        with np.errstate(invalid="ignore"):
            gap = _wrapped(expected - values, angular)
            error, relative = self._errors[:, used]
            gap /= np.hypot(error + relative * np.abs(expected), margin) if relative.any() else np.hypot(error, margin)
            surprise = np.float32(self.tolerance.surprise)
            logarithms = np.log(surprise + (1 - surprise) * np.exp(np.float32(-0.5) * gap * gap))
        seen, foreseen = np.isfinite(values), np.isfinite(expected)
        unforeseen = np.where(seen, np.log(surprise), np.float32(0))
        missed = np.where(seen, logarithms, np.float32(math.log(self.tolerance.missed)))
        logarithms = np.where(foreseen, missed, unforeseen)
        total: Array = logarithms.sum(axis=1, dtype=np.float64)
        total *= self.independent(used) / max(1, int(seen.sum()))
        total[~(cells.inside & self.known[cells.corners[:, 0]])] = np.nan
        return total

    def expectation(self, poses: Array) -> Array:
        """What the sensor tells at poses, (N, features); not a number for what is not in sight."""
        return self._between(self.grid.cells(np.asarray(poses, dtype=float))).astype(np.float64)

    def independent(self, used: NDArray[np.int64] | None = None) -> float:
        """How many values of the reading count, after all that err together are taken as one."""
        seen = np.isfinite(self._reading() if used is None else self._reading()[used])
        return min(float(seen.sum()) or 1.0, self.tolerance.independent)

    def informative(self, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """So many features of the reading at most, drawn at random: of what is seen, then of what is not."""
        order = rng.permutation(len(self.features))
        unseen = np.isnan(self._reading()[order])
        return np.sort(order[np.argsort(unseen, kind="stable")][:most])

    def _between(self, cells: Cells, used: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """The table between its nodes: linear, except where a value jumps, as beams do at an edge.

        There, and where only one corner of a cell was asked for, the nearest node counts.
        """
        rows = self.table[cells.corners]
        angular = self._angular
        if used is not None:
            rows, angular = rows[:, :, used], angular[used]
        nearest: NDArray[np.float32] = rows[:, 0]
        if rows.shape[1] == 1:
            return nearest
        largest = np.where(angular, 3 * math.tau / self.grid.headings, 3 * self.grid.cell).astype(np.float32)
        with np.errstate(invalid="ignore"):
            steps = _wrapped(rows[:, 1:] - nearest[:, None], angular)
            steps[~(np.abs(steps) <= largest)] = 0
        shares = cells.shares[:, 1:].astype(np.float32)
        between: NDArray[np.float32] = nearest + np.einsum("nc,ncf->nf", shares, steps)
        return between

    def _reading(self) -> Array:
        if self._data is None:
            raise UberSimError("a sensor's model has no reading yet; give it one with `set_data`")
        return self._data


def _wrapped(gaps: NDArray[np.float32], angular: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Differences of angles, from -π to π; those of distances as they are. In place."""
    if angular.any():
        turn = np.float32(math.tau)
        part = gaps[..., angular]
        gaps[..., angular] = part - turn * np.rint(part / turn)
    return gaps
