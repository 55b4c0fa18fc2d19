"""Poses -> what to draw: a scene's shapes as arrays, placed, culled, sorted by level of detail; all vectorised.

A record is 17 floats: three rows of the matrix from unit shape to world, a capsule's shift, linear colour, object id.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ubersim.render import geometry
from ubersim.render.geometry import Geometry
from ubersim.render.scene import Scene, Shape, TriangleMesh

Array = NDArray[np.float64]
Records = NDArray[np.float32]

RECORD = 17
LEVELS = len(geometry.SEGMENTS)
SPHERE, CAPSULE, CYLINDER, BOX, QUAD, FIRST_MESH = 0, LEVELS, 2 * LEVELS, 3 * LEVELS, 3 * LEVELS + 1, 3 * LEVELS + 2
"""Groups that are drawn with one call each: the round kinds, per level of detail; the rest; each mesh."""

GROUP = {"sphere": SPHERE, "capsule": CAPSULE, "cylinder": CYLINDER, "box": BOX, "quad": QUAD}


def unit_geometry(group: int) -> Geometry:
    """The triangles of a group below FIRST_MESH."""
    if group == BOX:
        return geometry.box()
    if group == QUAD:
        return geometry.quad()
    kinds: tuple[geometry.Turned, ...] = ("sphere", "capsule", "cylinder")
    return geometry.turned(kinds[group // LEVELS], group % LEVELS)


class Instances:
    """The shapes of one scene, and where they are at the moment."""

    def __init__(self, scene: Scene) -> None:
        shapes = scene.shapes
        count = len(shapes)
        self.bodies = scene.bodies
        self.meshes: list[TriangleMesh] = []
        self.records = np.zeros((count, RECORD), np.float32)
        self.centres = np.zeros((count, 3))
        """Where each shape is in the world [m]."""
        self.radii = np.zeros(count)
        """Radius of a sphere around each shape's centre that holds it [m]."""
        self.casts = np.array([shape.kind != "quad" for shape in shapes], dtype=bool)
        """Which shapes cast shadows."""
        self.fixed = np.array([shape.body < 0 for shape in shapes], dtype=bool)
        """Which shapes never move."""
        self._rows = np.array([shape.body for shape in shapes], dtype=np.intp)
        self._groups = np.zeros(count, np.intp)
        self._round = np.zeros(count)
        self._halves = np.ones((count, 3))
        self._local = np.zeros((count, 4, 4))
        self._world = np.zeros((count, 3, 4))
        # The last row is the world's own pose, which body -1 finds there.
        self._poses = np.zeros((self.bodies + 1, 3, 4))
        self._poses[-1, :, :3] = np.eye(3)
        for index, shape in enumerate(shapes):
            self._enter(index, shape)

    def _enter(self, index: int, shape: Shape) -> None:
        scale, shift, bound, rounded = _extent(shape)
        self._local[index, :3, :3] = np.array(shape.rotation) * scale
        self._local[index, :3, 3] = shape.position
        self._local[index, 3, 3] = 1.0
        # Round shapes have corners a little outside of their true outline.
        self.radii[index], self._round[index] = 1.05 * bound, rounded
        # Light adds up linearly; sqrt in the shaders brings colours back.
        self.records[index, 12:] = (shift, *np.square(shape.color), shape.object_id)
        self._halves[index, 2] += shift
        if shape.kind in ("box", "quad"):
            self._halves[index] = 0.5
        if shape.mesh is None:
            self._groups[index] = GROUP[shape.kind]
        else:
            self._halves[index] = np.abs(shape.mesh.vertices).max(axis=0)
            if shape.mesh not in self.meshes:
                self.meshes.append(shape.mesh)
            self._groups[index] = FIRST_MESH + self.meshes.index(shape.mesh)

    def place(self, positions: Array, rotations: Array) -> None:
        """Puts all shapes where their bodies are: positions (N, 3) [m], rotations (N, 3, 3)."""
        self._poses[:-1, :, :3] = rotations[: self.bodies]
        self._poses[:-1, :, 3] = positions[: self.bodies]
        np.matmul(self._poses[self._rows], self._local, out=self._world)
        self.records[:, :12] = self._world.reshape(-1, 12)
        self.centres = self._world[:, :, 3]

    def corners(self) -> Array:
        """Corners of a box around each shape, in the world [m], (shapes, 8, 3)."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
        local = self._halves[:, None, :] * signs
        corners: Array = local @ self._world[:, :, :3].transpose(0, 2, 1) + self.centres[:, None, :]
        return corners

    def select(
        self, planes: Array, eye: Array, pixels: float, limits: Array, among: NDArray[np.bool_] | None = None
    ) -> Iterator[tuple[int, Records]]:
        """Groups with their records, of the shapes that reach inside all planes (P, 4), larger ones finer.

        `pixels` is the apparent radius of a sphere of 1 m at 1 m from the eye (an eye of nan means parallel rays,
        where distance does not count), `limits` the largest radius for each level of detail [px].
        """
        inside = np.asarray((self.centres @ planes[:, :3].T + planes[:, 3] > -self.radii[:, None]).all(axis=1))
        if among is not None:
            inside &= among
        (seen,) = np.nonzero(inside)
        rounded = self._round[seen]
        if np.isnan(eye[0]):
            apparent = rounded * pixels
        else:
            away = self.centres[seen] - eye
            distance = np.sqrt(np.einsum("ij,ij->i", away, away)) - rounded
            apparent = rounded * pixels / np.maximum(distance, 1e-6)
        levels = np.minimum(np.searchsorted(limits, apparent), LEVELS - 1)
        groups = self._groups[seen] + np.where(rounded > 0, levels, 0)
        order = np.argsort(groups, kind="stable")
        records = self.records[seen[order]]
        counts = np.bincount(groups)
        start = 0
        for group in np.nonzero(counts)[0].tolist():
            end = start + int(counts[group])
            yield group, records[start:end]
            start = end


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
