"""Rays from anywhere in a world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ubersim.physics import RayBatch, RayHits, World

NOBODY = 2**31 - 1
"""The owner of what the rays start from."""


Vectors = Sequence[Any] | NDArray[np.float64]
"""Vectors, one per ray."""


def cast(world: World, origins: Vectors, directions: Vectors, ranges: ArrayLike, **ignore: Any) -> RayHits:
    """The nearest hit of every ray, in the world's coordinates: each from a body without shape, gone afterwards."""
    probe = world.add_body(NOBODY, mass=1.0, inertia=np.eye(3), position=np.zeros(3), rotation=np.eye(3))
    try:
        lengths = np.broadcast_to(np.asarray(ranges, dtype=float), len(directions))
        found = [
            RayBatch(probe, origin, [direction], [length], **ignore).cast()
            for origin, direction, length in zip(origins, directions, lengths, strict=True)
        ]
    finally:
        world.remove(NOBODY)
    return RayHits(
        *(np.concatenate([getattr(hit, name) for hit in found]) for name in ("distances", "geoms", "normals"))
    )
