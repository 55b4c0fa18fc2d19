"""Matrices from the world to the clip cube, and the planes that bound what is seen."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ubersim.render.plan import View

Array = NDArray[np.float64]


SIDES = np.array([[1.0, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]])
"""The sides of the clip cube: what is inside of them has no negative product with them."""


@lru_cache(maxsize=64)
def perspective(view: View, near: float, far: float) -> Array:
    """Clip coordinates of a place (right, forward, up, 1) in the view's own axes; rows count downwards.

    Views are kept from picture to picture, and so is this array: it is not to be changed.
    """
    across, along = view.right - view.left, view.top - view.bottom
    return np.array(
        [
            [2 / across, -(view.right + view.left) / across, 0, 0],
            [0, (view.top + view.bottom) / along, -2 / along, 0],
            [0, (far + near) / (far - near), 0, -2 * far * near / (far - near)],
            [0, 1, 0, 0],
        ]
    )


def orthographic(radius: float) -> Array:
    """Clip coordinates of a place (right, forward, up, 1) within `radius` of the origin; rows count downwards."""
    matrix = np.zeros((4, 4))
    matrix[0, 0] = matrix[2, 1] = 1 / radius
    matrix[1, 2] = -1 / radius
    matrix[3, 3] = 1
    return matrix


def looking(axes: Array, eye: Array) -> Array:
    """From the world to the frame at `eye` with the rows of `axes` as right, forward, up, (4, 4)."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = axes
    matrix[:3, 3] = -axes @ eye
    matrix[3, 3] = 1
    return matrix


def planes(clip_from_world: Array) -> Array:
    """The six planes of the clip cube in the world, unit normals inwards, (6, 4)."""
    bounds: Array = SIDES @ clip_from_world
    x, y, z, _ = bounds.T
    bounds /= np.sqrt(x * x + y * y + z * z)[:, None]
    return bounds
