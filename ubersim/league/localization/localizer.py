"""Monte Carlo localization: where a robot is, as a cloud of weighted poses.

It moves along with the robot, and is thinned out where the sensors would tell something else. When readings become
unlikely all of a sudden, as after the robot was carried away, poses that fit them are mixed in: those come from a
random search of the map (Lenser and Veloso's sensor resetting, at the rate of Thrun's augmented MCL).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Array
from ubersim.league.localization.sensor_map import Observation, SensorMap


@dataclass(frozen=True)
class MotionNoise:
    """How far a motion may differ from what odometry says, as standard deviations."""

    distance: float = 0.1
    """Per metre travelled [m]."""
    turn: float = 0.1
    """Per radian turned [rad]."""
    skew: float = 0.05
    """Turn per metre travelled [rad]."""
    drift: tuple[float, float] = (0.01, 0.01)
    """Of every motion, however small: place [m] and heading [rad]."""


@dataclass(frozen=True)
class Estimate:
    """Where the robot probably is."""

    x: float
    y: float
    """[m]"""
    heading: float
    """From the world's +y to the left, as a spawn point's [rad]."""
    spread: float
    """Standard deviation of the place, of the poses that agree [m]."""
    confidence: float
    """The share of the weight of those."""


class Localizer:
    """Particles on a `SensorMap`. Same seed and same inputs, same bits."""

    def __init__(
        self,
        field: SensorMap,
        *,
        particles: int = 1000,
        seed: int = 0,
        noise: MotionNoise | None = None,
        start: tuple[float, float, float] | None = None,
    ) -> None:
        """`start`: where it is known to be; else it may be anywhere."""
        self.map, self.noise = field, noise or MotionNoise()
        self._rng = np.random.default_rng(seed)
        self._free = field.free_poses()
        self.poses: Array = self._anywhere(particles)
        """x, y [m] and heading [rad] of each particle, (N, 3)."""
        if start is not None:
            self.poses = np.tile(start, (particles, 1)) + self._rng.normal(0.0, 0.05, (particles, 3))
        self.weights: Array = np.full(particles, 1.0 / particles)
        """Of the particles; their sum is 1."""
        self._fit = 0.0 if start is None else 1.0

    def move(self, right: float, forward: float, turn: float) -> None:
        """The robot has moved so far since the last call, in its own axes at that time [m], and turned left [rad]."""
        noise, count = self.noise, len(self.poses)
        way = math.hypot(right, forward)
        place = math.hypot(noise.distance * way, noise.drift[0])
        swing = math.hypot(noise.turn * turn, noise.skew * way, noise.drift[1])
        drawn = self._rng.standard_normal((3, count))
        aside, ahead, turned = right + place * drawn[0], forward + place * drawn[1], turn + swing * drawn[2]
        middle = self.poses[:, 2] + turned / 2  # an arc's chord lies halfway between its ends' headings
        cosine, sine = np.cos(middle), np.sin(middle)
        self.poses[:, 0] += aside * cosine - ahead * sine
        self.poses[:, 1] += aside * sine + ahead * cosine
        self.poses[:, 2] += turned

    def sense(self, readings: Mapping[str, Any]) -> None:
        """Weighs the particles by what sensors tell now, by name; what the map does not know counts for nothing."""
        observation = self.map.observe(readings, FEATURES, self._rng)
        if not observation:
            return
        logarithms = self.map.log_probability(self.map.grid.cells(self.poses), observation)
        likelihood = np.nan_to_num(np.exp(logarithms), nan=0.0)
        weights = self.weights * likelihood
        total = float(weights.sum())
        self.weights = weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))
        self._fit += (QUICKLY if total > 0.0 else 1.0) * (self._fitness(likelihood, observation) - self._fit)
        lost = max(0.0, 1.0 - self._fit / GOOD)
        if lost > 0.0 or 1.0 / float((self.weights**2).sum()) < len(weights) / 2:
            self._resample(lost, observation)

    def _fitness(self, likelihood: Array, observation: Observation) -> float:
        """How well the cloud explains the readings: the probability per independent value, from 0 to 1."""
        values = sum(self.map.models[name].independent(used) for name, used in observation.items())
        return math.pow(float((self.weights * likelihood).sum()), 1.0 / max(1.0, values))

    def estimate(self) -> Estimate:
        """The mean of the particles around the place where they are the densest."""
        x, y, heading = self.poses.T
        cells = np.stack([np.floor(x / 0.5), np.floor(y / 0.5), np.floor(heading % math.tau / (math.pi / 6))], axis=1)
        _, which = np.unique(cells, axis=0, return_inverse=True)
        best = self.poses[which == np.bincount(which.ravel(), self.weights).argmax()].mean(axis=0)
        near = (np.hypot(x - best[0], y - best[1]) < 0.75) & (np.cos(heading - best[2]) > 0.7)
        weights = self.weights[near] / self.weights[near].sum()
        mean_x, mean_y = float((weights * x[near]).sum()), float((weights * y[near]).sum())
        cosine, sine = (weights * np.cos(heading[near])).sum(), (weights * np.sin(heading[near])).sum()
        spread = float((weights * ((x[near] - mean_x) ** 2 + (y[near] - mean_y) ** 2)).sum())
        confidence = float(self.weights[near].sum())
        return Estimate(mean_x, mean_y, math.atan2(sine, cosine), math.sqrt(spread), confidence)

    def _resample(self, lost: float, observation: Observation) -> None:
        count = len(self.poses)
        fresh = min(count - 1, round(lost * count))
        kept = self.poses[_drawn(self.weights, count - fresh, self._rng)]
        if fresh:
            candidates = self._anywhere(CANDIDATES)
            cells = self.map.grid.cells(candidates).nearest()
            likelihood = np.nan_to_num(np.exp(self.map.log_probability(cells, observation)), nan=0.0)
            if (total := likelihood.sum()) > 0.0:
                candidates = candidates[_drawn(likelihood / total, fresh, self._rng)]
            kept = np.concatenate([kept, candidates[:fresh]])
        self.poses = kept
        self.weights = np.full(count, 1.0 / count)

    def _anywhere(self, count: int) -> Array:
        """Poses all over the field."""
        grid = self.map.grid
        poses = self._free[self._rng.integers(len(self._free), size=count)]
        half = np.array([grid.cell / 2, grid.cell / 2, math.pi / grid.headings])
        left, near, right, far = grid.area
        scattered: Array = poses + half * self._rng.uniform(-1.0, 1.0, (count, 3))
        scattered[:, :2] = np.clip(scattered[:, :2], (left, near), (right, far))
        return scattered


FEATURES = 12
"""Of each sensor's reading, that are looked at: others each time."""
QUICKLY = 0.3
"""How fast the mean of the fitness follows, per reading."""
GOOD = 0.45
"""A fitness below which it may be somewhere else. A perfect model reaches the square root of one half."""
CANDIDATES = 3000
"""Poses among which those are searched that fit a reading."""


def _drawn(weights: Array, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Places of particles, drawn by weight with a single random number (low variance sampling)."""
    marks = (rng.random() + np.arange(count)) / count
    places = np.searchsorted(np.cumsum(weights), marks)
    return np.minimum(places, len(weights) - 1).astype(np.int64)
