"""Sensors that localization can use: what they tell of a place, as numbers that depend on the pose alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeVar, runtime_checkable

from ubersim.description.base import SensorDescription
from ubersim.geometry import Array
from ubersim.timing.latency import Constant

S = TypeVar("S", bound=SensorDescription)

LandmarkNames = Mapping[int, str]
"""Names of the things that never move, by their numbers in the legend."""


@dataclass(frozen=True)
class Feature:
    """One number that a sensor tells of a place."""

    name: str
    unit: Literal["m", "rad"]
    """Whether it is a distance or an angle."""
    error: float = 0.0
    """Standard deviation of the sensor's own error."""
    relative_error: float = 0.0
    """What is added to that, as a part of the value."""


@runtime_checkable
class Perceptual(Protocol):
    """What a sensor's description has if its readings say where the robot is."""

    def flawless(self) -> Self:
        """The same sensor without noise and latency."""

    def features(self, landmarks: LandmarkNames) -> tuple[Feature, ...]:
        """What it tells, in a fixed order."""

    def observed(self, reading: Any, landmarks: LandmarkNames) -> Array:
        """These numbers in a reading; not a number where it does not tell them."""


def without_errors(sensor: S, **errors: Any) -> S:
    """A copy of a description that measures at once, in every frame and exactly; `errors` are fields of its own."""
    return replace(sensor, noise=0.0, latency=Constant(0.0), frequency=None, stamped=False, **errors)
