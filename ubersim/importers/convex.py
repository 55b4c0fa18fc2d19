"""Convex pieces of a mesh; the only door to coacd."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.geometry import Array

THRESHOLD = 0.05
"""How far the pieces may be from the mesh, in terms of its size."""


def decomposed(vertices: Array, triangles: NDArray[np.int64], most: int) -> list[Array]:
    """The corners of each piece; the same for the same mesh."""
    try:
        import coacd
    except ImportError:
        raise UberSimError("convex pieces need coacd: pip install 'ubersim[import]'") from None
    coacd.set_log_level("error")
    pieces = coacd.run_coacd(coacd.Mesh(vertices, triangles), threshold=THRESHOLD, max_convex_hull=most, seed=1)
    return [np.asarray(corners, dtype=float) for corners, _ in pieces]
