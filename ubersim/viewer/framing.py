"""Where to look from so that something is well in the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.model import SceneModel

Array = NDArray[np.float64]
ASIDE = np.array([1.9, 2.2, 1.5])
"""From where things are looked at first: from ahead of a robot, from its right, from above."""
ABOVE = np.array([0.0, -1e-3, 1.0])
"""Nearly straight down: y is up in the picture."""
_LEAST = 0.15
"""Radius of what is looked at, at least [m]."""
_ROOM = 1.5
"""Around it."""


def extent(model: SceneModel, truth: GroundTruth, rows: Sequence[int]) -> tuple[Array, float] | None:
    """Middle and radius of a ball around these bodies; None if there are none."""
    if not rows:
        return None
    reach = model.reach
    places = truth.positions[list(rows)]
    sizes = np.array([reach.get(row, 0.05) for row in rows])
    low, high = (places - sizes[:, None]).min(axis=0), (places + sizes[:, None]).max(axis=0)
    middle = (low + high) / 2
    radius = float((np.linalg.norm(places - middle, axis=1) + sizes).max())
    return middle, max(radius, _LEAST)


def around(balls: Sequence[tuple[Array, float]]) -> tuple[Array, float] | None:
    """Middle and radius of a ball around others; None if there are none."""
    if not balls:
        return None
    low = np.min([middle - radius for middle, radius in balls], axis=0)
    high = np.max([middle + radius for middle, radius in balls], axis=0)
    center = (low + high) / 2
    return center, max(float(np.linalg.norm(middle - center)) + radius for middle, radius in balls)


def place_to_look_from(middle: Array, radius: float, way: Array, fov: float, aspect: float) -> Array:
    """At such a distance that the ball fills the picture, whose height has this field of view [rad]."""
    across = 2 * math.atan(math.tan(fov / 2) * aspect)
    distance = _ROOM * radius / math.sin(min(fov, across) / 2)
    place: Array = middle + way / np.linalg.norm(way) * distance
    return place
