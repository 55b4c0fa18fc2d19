"""Fields that several motion models have."""

from __future__ import annotations

from typing import Any

from ubersim.components.drives.controller import INSTANT
from ubersim.description.fields import Index, number

FASTEST = 1e4
"""Largest speed [m/s], and rate [rad/s]."""


def speed(meaning: str, *, index: Index) -> Any:
    """A speed that commands set."""
    return number(meaning, unit="m/s", low=-FASTEST, high=FASTEST, default=0.0, index=index)


def turn_rate(meaning: str = "turning to the left", *, index: Index = ("TurnRate", "Turn")) -> Any:
    """How fast it turns."""
    return number(meaning, unit="rad/s", low=-FASTEST, high=FASTEST, default=0.0, index=index)


def acceleration() -> Any:
    """The bound of the change of speed."""
    return number(
        "how fast its speed changes, at most",
        unit="m/s^2",
        low=0,
        above=True,
        high=INSTANT,
        default=INSTANT,
        index="Acceleration",
    )


def turn_acceleration() -> Any:
    """The bound of the change of the turn rate."""
    return number(
        "how fast its turn rate changes, at most",
        unit="rad/s^2",
        low=0,
        above=True,
        high=INSTANT,
        default=INSTANT,
        index="TurnAcceleration",
    )
