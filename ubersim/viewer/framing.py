"""Where to look from so that something is well in the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.model import SceneModel, radius_of
from ubersim.viewer.selection import Selection

Array = NDArray[np.float64]
ASIDE = np.array([1.9, 2.2, 1.5])
"""From where things are looked at first: from ahead of a robot, from its right, from above."""
ABOVE = np.array([0.0, -1e-3, 1.0])
"""Nearly straight down: y is up in the picture."""
_LEAST = 0.15
"""Radius of what is looked at, at least [m]."""
WIDEST = 15.0
"""Radius of what is looked at first, at most: from farther away robots would be dots [m]."""
ROOM = 1.5
"""Around one thing, of which a ball around it has little else in it."""
LITTLE_ROOM = 1.1
"""Around the world, which is flat."""


def extent(model: SceneModel, truth: GroundTruth, rows: Sequence[int]) -> tuple[Array, float] | None:
    """Middle and radius of a ball around these bodies; None if there are none."""
    if not rows:
        return None
    places, sizes = _places(model, truth, rows)
    middle = ((places - sizes).min(axis=0) + (places + sizes).max(axis=0)) / 2
    radius = float((np.linalg.norm(places - middle, axis=1) + sizes[:, 0]).max())
    return middle, max(radius, _LEAST)


def _places(model: SceneModel, truth: GroundTruth, rows: Sequence[int]) -> tuple[Array, Array]:
    """Where bodies are, (n, 3), and how far they reach, (n, 1) [m]."""
    reach = model.reach
    return truth.positions[list(rows)], np.array([[reach.get(row, 0.05)] for row in rows])


def bounds(shape: Mapping[str, Any]) -> tuple[Array, Array]:
    """The lowest and the highest coordinates of a shape that stands in the world [m]; of round ones, of a ball."""
    middle, size = np.array(shape["position"], dtype=float), np.array(shape["size"], dtype=float)
    half = np.full(3, radius_of(shape))
    if shape["kind"] == "box":
        half = np.abs(np.array(shape["rotation"], dtype=float).reshape(3, 3)) @ (size / 2)
    return middle - half, middle + half


def everything(model: SceneModel, truth: GroundTruth) -> tuple[Array, float] | None:
    """Middle and radius of a ball around all bodies and static solids; None if there are none."""
    solids = [model.shapes[place] for places in model.solids.values() for place in places]
    places, sizes = _places(model, truth, range(len(model.bodies)))
    moving = zip(places - sizes, places + sizes, strict=True) if len(places) else ()
    return _hull([*(bounds(shape) for shape in solids), *moving])


def of_choice(model: SceneModel, truth: GroundTruth, choice: Selection) -> tuple[Array, float] | None:
    """The same around what is chosen: a body, a static solid, or the whole robot or object."""
    if choice.kind == "Solid":
        return _hull([bounds(model.shapes[place]) for place in model.solids.get(choice.entity, ())])
    if choice.kind == "Bodies":
        return extent(model, truth, [model.bodies.index(choice.full_name)])
    return extent(model, truth, model.rows(choice.entity))


def _hull(boxes: Sequence[tuple[Array, Array]]) -> tuple[Array, float] | None:
    if not boxes:
        return None
    low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, _LEAST)


def around(balls: Sequence[tuple[Array, float]]) -> tuple[Array, float] | None:
    """Middle and radius of a ball around others; None if there are none."""
    if not balls:
        return None
    low = np.min([middle - radius for middle, radius in balls], axis=0)
    high = np.max([middle + radius for middle, radius in balls], axis=0)
    center = (low + high) / 2
    return center, max(float(np.linalg.norm(middle - center)) + radius for middle, radius in balls)


def place_to_look_from(
    middle: Array, radius: float, way: Array, fov: float, aspect: float, room: float = ROOM
) -> Array:
    """At such a distance that the ball fills the picture, whose height has this field of view [rad]."""
    across = 2 * math.atan(math.tan(fov / 2) * aspect)
    distance = room * radius / math.sin(min(fov, across) / 2)
    place: Array = middle + way / np.linalg.norm(way) * distance
    return place
