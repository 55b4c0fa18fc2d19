"""What rays and contacts are answered with: arrays, one row per ray or contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Array


@dataclass(frozen=True)
class RayHits:
    """The nearest hit of every ray."""

    distances: Array
    """From the origin along the ray [m], shape (N,); infinite where nothing is within range."""
    geoms: NDArray[np.int64]
    """Ids of the geoms that were hit, shape (N,); -1 where nothing is within range."""
    normals: Array
    """Of the surfaces that were hit, shape (N, 3); zero where nothing is within range."""


@dataclass(frozen=True)
class Contacts:
    """The contacts of the last step, in order of the geoms' ids."""

    a: NDArray[np.int64]
    """Id of the geom with the lower id, shape (N,)."""
    b: NDArray[np.int64]
    """Id of the other geom, shape (N,)."""
    positions: Array
    """Where they touched [m], shape (N, 3)."""
    normals: Array
    """Pointing into `a`, shape (N, 3)."""
    depths: Array
    """How deep they were in each other [m], shape (N,)."""


@dataclass(frozen=True)
class Touches:
    """The contacts of one body in the last step, in order of the geoms' ids."""

    geoms: NDArray[np.int64]
    """Ids of the other geoms, shape (N,)."""
    positions: Array
    """Where they touched [m], shape (N, 3)."""
    forces: Array
    """On the body [N], shape (N, 3)."""
