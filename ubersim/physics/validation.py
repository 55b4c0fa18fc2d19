"""What ODE would answer with an abort, or with nonsense, is refused here, with a reason."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ubersim.errors import WorldError
from ubersim.geometry import Array, length

STEPS = (1e-6, 1.0)
"""Shortest and longest frame [s]."""
FARTHEST = 1e6
"""Largest coordinate at which something may be placed [m]."""
SIZES = (1e-6, 1e6)
"""Smallest and largest extent of a shape [m]."""
MASSES = (1e-9, 1e12)
"""Smallest and largest mass [kg]."""
MOMENTS = (1e-20, 1e25)
"""Smallest and largest principal moment of inertia [kg m^2]."""
LARGEST = 1e12
"""Largest force [N], torque [N m], speed [m/s] or rate [rad/s] that may be asked for."""
PARALLEL = 1e-6
"""Sine of the angle below which two axes count as parallel [-]."""


def number(what: str, value: float, low: float, high: float) -> float:
    """A finite number from `low` to `high`."""
    result = float(value)
    if not low <= result <= high:
        raise WorldError(f"{what} is {result:g}, allowed is {low:g} to {high:g}")
    return result


def numbers(what: str, values: ArrayLike, shape: tuple[int, ...], largest: float) -> Array:
    """A contiguous copy of finite numbers of that shape, none above `largest` in size."""
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise WorldError(f"{what} must be numbers: {error}") from None
    if array.shape != shape:
        raise WorldError(f"{what} has shape {array.shape}, needed is {shape}")
    if not (np.abs(array) <= largest).all():
        raise WorldError(f"{what} is {array.tolist()}, allowed is up to {largest:g}")
    return array


def position(what: str, values: ArrayLike) -> Array:
    """Coordinates within the world."""
    return numbers(what, values, (3,), FARTHEST)


def rotation(what: str, values: ArrayLike) -> Array:
    """A proper rotation matrix."""
    matrix = numbers(what, values, (3, 3), 2.0)
    if np.abs(matrix @ matrix.T - np.eye(3)).max() > 1e-6 or np.linalg.det(matrix) < 0:
        raise WorldError(f"{what} is no rotation: {matrix.tolist()}")
    return matrix


def quaternion(what: str, values: ArrayLike) -> Array:
    """A quaternion (w, x, y, z) of unit length, give or take what rounding did to it."""
    result = numbers(what, values, (4,), 2.0)
    if abs(np.linalg.norm(result) - 1.0) > 1e-3:
        raise WorldError(f"{what} is {result.tolist()}, its length must be 1")
    return result


def size(what: str, value: float) -> float:
    """An extent of a shape."""
    return number(what, value, *SIZES)


def inertia(what: str, values: ArrayLike) -> Array:
    """A symmetric, positive definite tensor that some distribution of mass can have."""
    tensor = numbers(what, values, (3, 3), MOMENTS[1])
    if np.abs(tensor - tensor.T).max() > 1e-9 * np.abs(tensor).max():
        raise WorldError(f"{what} is not symmetric: {tensor.tolist()}")
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < max(MOMENTS[0], 1e-12 * moments[2]):
        raise WorldError(f"{what} has the principal moments {moments.tolist()}, the least must be positive")
    if moments[0] + moments[1] < moments[2] * (1 - 1e-6):
        raise WorldError(f"{what} has the principal moments {moments.tolist()}: the largest exceeds the others' sum")
    return tensor


def axes(what: str, values: Sequence[ArrayLike]) -> Array:
    """Unit vectors, one per row."""
    rows = [numbers(f"{what} {place + 1}", axis, (3,), 1e100) for place, axis in enumerate(values)]
    lengths = [length(row) for row in rows]
    for place, long in enumerate(lengths):
        if long < 1e-100:
            raise WorldError(f"{what} {place + 1} is zero")
    return np.array([row / long for row, long in zip(rows, lengths, strict=True)]).reshape(-1, 3)


def not_parallel(what: str, one: Array, other: Array) -> None:
    """Two unit vectors that span a plane."""
    if float(np.linalg.norm(np.cross(one, other))) < PARALLEL:
        raise WorldError(f"{what} are parallel: {one.tolist()} and {other.tolist()}")


def mesh(vertices: ArrayLike, triangles: ArrayLike) -> tuple[Array, NDArray[np.uint32]]:
    """Vertices that triangles have, and the corners of these, none of which may be without an area."""
    points = np.array(vertices, dtype=np.float64, order="C")
    corners = np.array(triangles, dtype=np.int64, order="C")
    if points.ndim != 2 or points.shape[1] != 3 or corners.ndim != 2 or corners.shape[1] != 3 or not len(corners):
        raise WorldError(f"a mesh needs vertices (N, 3) and triangles (M, 3), not {points.shape} and {corners.shape}")
    numbers("a mesh's vertices", points, points.shape, SIZES[1])
    if corners.min() < 0 or corners.max() >= len(points):
        raise WorldError(f"a mesh of {len(points)} vertices has triangles that name {corners.min()} to {corners.max()}")
    first, second, third = (points[corners[:, place]] for place in range(3))
    doubled_areas = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    if doubled_areas.min() < SIZES[0] ** 2:
        raise WorldError(f"a mesh's triangle {int(doubled_areas.argmin())} has no area")
    # ODE takes a mesh with more vertices than edges for a fault, and those that no triangle has touch nothing.
    used = np.bincount(corners.ravel(), minlength=len(points)) > 0
    if not used.all():
        points, corners = points[used], (np.cumsum(used) - 1)[corners]
    return points, corners.astype(np.uint32)


def rays(origins: ArrayLike, directions: ArrayLike, ranges: ArrayLike) -> tuple[Array, Array, Array]:
    """Rays that have a direction, and a range each."""
    starts = np.ascontiguousarray(origins, dtype=np.float64)
    courses = np.ascontiguousarray(directions, dtype=np.float64)
    if starts.ndim != 2 or starts.shape[1] != 3 or courses.shape != starts.shape:
        raise WorldError(f"rays need origins and directions (N, 3), not {starts.shape} and {courses.shape}")
    lengths = np.ascontiguousarray(np.broadcast_to(np.asarray(ranges, dtype=np.float64), len(starts)))
    squares = np.einsum("ij,ij->i", courses, courses)
    if not (np.abs(starts) <= 1e9).all() or not ((squares > 1e-24) & (squares < 1e24)).all():
        raise WorldError("rays need finite origins, and directions that are neither zero nor huge")
    if not ((lengths > 0) & (lengths <= 1e9)).all():
        raise WorldError("rays need positive ranges of at most 1e9 m")
    return starts, courses, lengths
