"""Fields that several lights have."""

from __future__ import annotations

from typing import Any

from ubersim.description.base import FARTHEST
from ubersim.description.fields import number, vector


def position() -> Any:
    """Where a lamp is."""
    return vector("where it is", unit="m", high=FARTHEST)


def half_strength_range() -> Any:
    """How far a lamp shines."""
    return number(
        "distance at which half of its strength is left; far away it falls with the square",
        unit="m",
        low=1e-3,
        high=1e5,
        default=100.0,
    )
