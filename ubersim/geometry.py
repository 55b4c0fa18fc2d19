"""Rotations and frames. Quaternions are (w, x, y, z) as in ODE; matrices turn column vectors; angles are radians.

What decides about the state of a simulation is multiplied here, and not with numpy's `@`: that is a BLAS, which adds in
another order, or rounds less often, on another kind of processor. Same program, same bits, whatever the processor is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Triple = tuple[float, float, float]


def product(left: ArrayLike, right: ArrayLike) -> Array:
    """The matrix product of rows of three and columns of three; vectors as in numpy."""
    a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    result: Array
    if b.ndim == 1:
        terms = a * b
        result = terms[..., 0] + terms[..., 1] + terms[..., 2]
    else:
        result = a[..., 0, None] * b[0] + a[..., 1, None] * b[1] + a[..., 2, None] * b[2]
    return result


def turned(rotation: Array, vector: Sequence[float] | Array) -> Triple:
    """`product` of a matrix and a vector, for those who are in a hurry."""
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    x, y, z = vector
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def turned_back(rotation: Array, vector: Sequence[float] | Array) -> Triple:
    """The vector of which `turned` makes this one."""
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    x, y, z = vector
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def length(vector: ArrayLike) -> float:
    """Of a vector."""
    return math.hypot(*np.asarray(vector, dtype=float).tolist())


def rotation_about(axis: int, angle: float) -> Array:
    """The rotation by `angle` about a coordinate axis (0: x, 1: y, 2: z), exact for multiples of a right angle."""
    cosine, sine = _cosine_sine(angle)
    following, last = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[following, following] = matrix[last, last] = cosine
    matrix[last, following], matrix[following, last] = sine, -sine
    return matrix


def rotation_xyz(angles: Sequence[float]) -> Array:
    """Turns about x, then y, then z, all of them fixed axes."""
    return product(product(rotation_about(2, angles[2]), rotation_about(1, angles[1])), rotation_about(0, angles[0]))


def rotation_xyz_degrees(degrees: Sequence[float]) -> Array:
    """`rotation_xyz`, from the degrees that XML speaks."""
    return rotation_xyz([math.radians(angle) for angle in degrees])


def rotation_to_xyz(matrix: Array) -> tuple[float, float, float]:
    """The angles of which `rotation_xyz` makes this matrix."""
    upright = math.hypot(matrix[0, 0], matrix[1, 0])
    y = math.atan2(-matrix[2, 0], upright)
    if upright < 1e-9:  # x and z turn about the same axis then: one of them is enough
        return math.atan2(-matrix[1, 2], matrix[1, 1]), y, 0.0
    return math.atan2(matrix[2, 1], matrix[2, 2]), y, math.atan2(matrix[1, 0], matrix[0, 0])


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = np.asarray(quaternion, dtype=float)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """The unit quaternion with w >= 0 of a rotation matrix, by its largest component, which is well conditioned."""
    m = np.asarray(matrix, dtype=float)
    squares = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    products = np.array(
        [
            [squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], squares[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], squares[2], m[2, 1] + m[1, 2]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], squares[3]],
        ]
    )
    quaternion: Array = products[int(np.argmax(squares))]
    quaternion = quaternion / length(quaternion)
    return -quaternion if quaternion[0] < 0 else quaternion


def _cosine_sine(angle: float) -> tuple[float, float]:
    quarters = angle / (math.pi / 2)
    if quarters == round(quarters):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    return math.cos(angle), math.sin(angle)


@dataclass(frozen=True)
class Pose:
    """Where a frame is, seen from another."""

    position: Array = field(default_factory=lambda: np.zeros(3))
    rotation: Array = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, inner: Pose) -> Pose:
        """The pose of `inner`, which is given in this frame, seen from outside."""
        return Pose(self.apply(inner.position), product(self.rotation, inner.rotation))

    def apply(self, point: ArrayLike) -> Array:
        """A point of this frame, seen from outside."""
        moved: Array = self.position + product(self.rotation, point)
        return moved

    def turn(self, direction: ArrayLike) -> Array:
        """A direction of this frame, seen from outside."""
        return product(self.rotation, direction)
