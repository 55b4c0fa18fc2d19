"""Shapes as arrays, for drawing many at once: what does not change as they move is computed once per group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ubersim.render.shapes import KINDS, Shape

Array = NDArray[np.float64]


class ShapeArrays:
    """Of S shapes, each a unit shape that is scaled, turned and moved."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        count = len(shapes)
        self.count = count
        self.bodies = np.array([shape.body for shape in shapes], dtype=np.intp)
        """Rows of their bodies; -1: the world, (S,)."""
        self.ids = np.array([shape.object_id for shape in shapes], dtype=np.intp)
        """What segmentation pictures say, (S,)."""
        self.kinds = np.array([KINDS.index(shape.kind) for shape in shapes], dtype=np.intp)
        """Places in KINDS, (S,)."""
        self.meshes = [shape.mesh for shape in shapes if shape.mesh is not None]
        """Of those that are meshes, in their order."""
        # Light adds up linearly; sqrt in the shaders brings colours back.
        self.colors = np.square(np.array([shape.color for shape in shapes]).reshape(count, 3))
        """In proportion to light, (S, 3)."""
        self.local = np.zeros((count, 4, 4))
        """From the unit shape to the body, (S, 4, 4)."""
        self.shifts = np.zeros(count)
        """How far a capsule's halves are moved apart, in radii, (S,)."""
        self.radii = np.zeros(count)
        """Of spheres around their centres that hold them [m], (S,)."""
        self.round = np.zeros(count)
        """Radius of what has to be drawn finer if it looks larger; 0: nothing [m], (S,)."""
        self.halves = np.ones((count, 3))
        """Half the edges of a box around the unit shape, (S, 3)."""
        for index, shape in enumerate(shapes):
            self._enter(index, shape)

    def _enter(self, index: int, shape: Shape) -> None:
        scale, shift, bound, rounded = _extent(shape)
        self.local[index, :3, :3] = np.array(shape.rotation) * scale
        self.local[index, :3, 3] = shape.position
        self.local[index, 3, 3] = 1.0
        # Round shapes have corners a little outside of their true outline.
        self.radii[index], self.round[index] = 1.05 * bound, rounded
        self.shifts[index] = shift
        self.halves[index, 2] += shift
        if shape.kind in ("box", "quad"):
            self.halves[index] = 0.5
        if shape.mesh is not None:
            self.halves[index] = np.abs(shape.mesh.vertices).max(axis=0)


@dataclass(frozen=True, eq=False)
class ShapeGroup:
    """Shapes that come and go together, such as a robot's. Their bodies and object ids count from the group's first."""

    members: tuple[Shape, ...]
    """At least one, all of them on bodies."""

    @cached_property
    def arrays(self) -> ShapeArrays:
        """What drawing needs to know."""
        return ShapeArrays(self.members)

    @property
    def bodies(self) -> int:
        """How many rows of poses it needs."""
        return int(self.arrays.bodies.max()) + 1


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
            yield replace(shape, body=self.first_body + shape.body, object_id=self.first_id + shape.object_id)


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
