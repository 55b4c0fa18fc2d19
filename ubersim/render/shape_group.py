"""Shapes that come and go together, as arrays for drawing: what does not change as they move is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ubersim.render.shapes import KINDS, Shape, TriangleMesh

Array = NDArray[np.float64]


LOCAL, LOOKS = slice(0, 16), slice(16, 21)
"""Columns of a table: the matrix from the unit shape to its body; a capsule's shift, colour, object id."""
RADIUS, ROUND, HALVES = 21, 22, slice(23, 26)
"""Radius of a sphere around the centre that holds it [m]; radius of what is drawn finer if it looks larger, 0: nothing;
half the edges of a box around the unit shape."""
KIND, BODY, COLUMNS = 26, 27, 28
"""Place in KINDS; row of its body, -1: the world."""


def table(shapes: Sequence[Shape]) -> Array:
    """What drawing has to know of each shape, a row each."""
    rows = np.zeros((len(shapes), COLUMNS))
    for row, shape in zip(rows, shapes, strict=True):
        scale, shift, bound, rounded = _extent(shape)
        local = row[LOCAL].reshape(4, 4)
        local[:3, :3] = np.array(shape.rotation) * scale
        local[:3, 3] = shape.position
        local[3, 3] = 1.0
        # Light adds up linearly; sqrt in the shaders brings colours back.
        row[LOOKS] = (shift, *np.square(shape.color), shape.object_id)
        # Round shapes have corners a little outside of their true outline.
        row[RADIUS], row[ROUND] = 1.05 * bound, rounded
        row[HALVES] = _halves(shape, shift)
        row[KIND], row[BODY] = KINDS.index(shape.kind), shape.body
    return rows


@dataclass(frozen=True, eq=False)
class ShapeGroup:
    """Shapes that come and go together, such as a robot's. Their bodies and object ids count from the group's first."""

    members: tuple[Shape, ...]
    """On bodies, or fixed to the world."""

    @cached_property
    def table(self) -> Array:
        """What drawing has to know."""
        return table(self.members)

    def radiation(self, number: int) -> Array:
        """What each shape reflects and emits in a class of radiation, as linear light, (members, 2)."""
        pairs = [shape.radiation[number] if shape.radiation else (0.0, 0.0) for shape in self.members]
        linear: Array = np.square(np.array(pairs, dtype=float).reshape(-1, 2))
        return linear

    @cached_property
    def meshes(self) -> list[TriangleMesh]:
        """Those of the shapes that are meshes."""
        return [shape.mesh for shape in self.members if shape.mesh is not None]

    @cached_property
    def bodies(self) -> int:
        """How many rows of poses it needs."""
        return max((shape.body + 1 for shape in self.members), default=0)


@dataclass(frozen=True, eq=False)
class PlacedGroup:
    """A group as part of a scene."""

    group: ShapeGroup
    """The shapes."""
    first_body: int
    """Row of its first body in the poses that are drawn."""
    first_id: int
    """What a segmentation picture says of that body."""

    def shapes(self) -> Iterator[Shape]:
        """As they would be without a group."""
        for shape in self.group.members:
            body = -1 if shape.body < 0 else self.first_body + shape.body
            yield replace(shape, body=body, object_id=self.first_id + shape.object_id)


def _halves(shape: Shape, shift: float) -> Array:
    if shape.mesh is not None:
        largest: Array = np.abs(shape.mesh.vertices).max(axis=0)
        return largest
    return np.full(3, 0.5) if shape.kind in ("box", "quad") else np.array([1.0, 1.0, 1.0 + shift])


def _extent(shape: Shape) -> tuple[Array, float, float, float]:
    """Scale of the unit shape's axes, shift of a capsule's halves in radii, bounding radius, radius if round."""
    size = shape.size
    if shape.mesh is not None:
        return np.ones(3), 0.0, float(np.linalg.norm(shape.mesh.vertices, axis=1).max()), 0.0
    match shape.kind:
        case "sphere":
            return np.full(3, size[0]), 0.0, size[0], size[0]
        case "capsule":
            half = size[1] / 2
            return np.full(3, size[0]), half / size[0] if size[0] > 0 else 0.0, size[0] + half, size[0]
        case "cylinder":
            return np.array([size[0], size[0], size[1] / 2]), 0.0, float(np.hypot(size[0], size[1] / 2)), size[0]
        case _:
            scale = np.array([*size, 1.0])[:3]
            return scale, 0.0, float(np.linalg.norm(size)) / 2, 0.0
