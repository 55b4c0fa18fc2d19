"""How far two runs go apart, body by body, once they have parted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.recording.log import Log, LogInstant

MARKS = (1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 1e-1, 1.0)
"""Distances whose first reaching is told [m]."""
_LINEAR = (1e-12, 1e-2)
"""Within these distances a difference grows by a factor per time, if it does [m]."""


@dataclass(frozen=True)
class Growth:
    """Distances over the instants that both logs have kept."""

    times: NDArray[np.float64]
    """[s]"""
    distances: dict[tuple[str, str], NDArray[np.float64]]
    """By robot and body: how far apart its centres of mass are [m]; nan where one run does not have it."""
    angles: dict[tuple[str, str], NDArray[np.float64]]
    """The angle between its orientations [rad]."""

    @property
    def largest(self) -> NDArray[np.float64]:
        """Of all bodies at each time [m]."""
        if not self.distances:
            return np.zeros(len(self.times))
        stacked: NDArray[np.float64] = np.nan_to_num(np.array(list(self.distances.values())), nan=0.0).max(axis=0)
        return stacked

    def reached(self) -> list[tuple[float, float]]:
        """Distances [m], and the time [s] at which any body was so far apart for the first time."""
        largest = self.largest
        return [(mark, float(self.times[int(np.argmax(largest >= mark))])) for mark in MARKS if (largest >= mark).any()]

    def rate(self) -> float:
        """Growth per second while the difference is small: it is e**(rate * t) times as large after t; nan: unknown."""
        largest = self.largest
        over = np.flatnonzero(largest > _LINEAR[1])
        small = np.arange(len(largest)) < (over[0] if len(over) else len(largest))
        chosen = small & (largest > _LINEAR[0])
        if chosen.sum() < 5:
            return float("nan")
        return float(np.polyfit(self.times[chosen], np.log(largest[chosen]), 1)[0])


def growth(a: Log, b: Log) -> Growth:
    """Compares the states that both logs have kept."""
    ours = {instant.frame: instant for instant in a.instants()}
    pairs = [(ours[instant.frame], instant) for instant in b.instants() if instant.frame in ours]
    bodies = sorted({body for one, other in pairs for body in one.states.keys() & other.states.keys()})
    measured = np.array([_apart(one, other, bodies) for one, other in pairs]).reshape(len(pairs), len(bodies), 2)
    return Growth(
        np.array([one.time for one, _ in pairs]),
        {body: measured[:, index, 0] for index, body in enumerate(bodies)},
        {body: measured[:, index, 1] for index, body in enumerate(bodies)},
    )


def _apart(one: LogInstant, other: LogInstant, bodies: list[tuple[str, str]]) -> list[tuple[float, float]]:
    found = []
    for body in bodies:
        if body in one.states and body in other.states:
            a, b = one.states[body], other.states[body]
            found.append((math.dist(a[:3], b[:3]), _angle(a[3:7], b[3:7])))
        else:
            found.append((float("nan"), float("nan")))
    return found


def _angle(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Between two orientations [rad]; exact also for small ones, where the arc cosine of a product is not."""
    chord = min(math.dist(one, other), math.dist(one, -other))
    return 4.0 * math.asin(min(1.0, chord / 2.0))
