"""What several tasks need."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.scenes import Engine
from ubersim.geometry import Array


def threshold(holds: Callable[[float], bool], low: float, high: float, precision: float = 1e-3) -> float:
    """Where something that holds at the high end ceases to, by halving."""
    while high - low > precision * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return (low + high) / 2


def frames(engine: Engine, seconds: float, every: int = 1) -> Iterator[float]:
    """Runs for a while; yields the time after every so many steps."""
    steps = round(seconds / engine.scene.step)
    for step in range(every, steps + 1, every):
        engine.run(every)
        yield step * engine.scene.step


def direction(degrees: float) -> Array:
    """In the ground's plane."""
    angle = np.radians(degrees)
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def angle_between(one: Array, other: Array) -> float:
    """[degrees]"""
    sine, cosine = np.linalg.norm(np.cross(one, other)), float(one @ other)
    return float(np.degrees(np.arctan2(sine, cosine)))
