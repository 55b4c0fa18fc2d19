"""Poses -> what to draw: a scene's shapes as arrays, placed, culled, sorted by level of detail; all vectorised.

A record is 17 floats: three rows of the matrix from unit shape to world, a capsule's shift, linear colour, object id.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ubersim.render import geometry
from ubersim.render.geometry import Geometry
from ubersim.render.scene import Scene
from ubersim.render.shape_group import BODY, HALVES, KIND, LOCAL, LOOKS, RADIUS, ROUND, ShapeGroup
from ubersim.render.shapes import KINDS, TriangleMesh

Array = NDArray[np.float64]
Records = NDArray[np.float32]

RECORD = 17
PAINT = slice(13, 16)
"""Where a record has its colour."""
LEVELS = len(geometry.SEGMENTS)
SPHERE, CAPSULE, CYLINDER, BOX, QUAD, FIRST_MESH = 0, LEVELS, 2 * LEVELS, 3 * LEVELS, 3 * LEVELS + 1, 3 * LEVELS + 2
"""Groups that are drawn with one call each: the round kinds, per level of detail; the rest; each mesh."""

GROUP = {"sphere": SPHERE, "capsule": CAPSULE, "cylinder": CYLINDER, "box": BOX, "quad": QUAD, "mesh": FIRST_MESH}
INSIDE = 0.99
"""An eye that is nearer to the middle than this share of the radius is inside of the flat faces, too, as fine as they
are then."""
FIRST_GROUPS = np.array([GROUP[kind] for kind in KINDS], dtype=np.intp)


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
        loose = ShapeGroup(scene.shapes)
        groups = [loose, *(placed.group for placed in scene.groups)]
        shapes = np.concatenate([group.table for group in groups])
        counts = [len(group.members) for group in groups]
        self.bodies = scene.bodies
        self.records = np.zeros((len(shapes), RECORD), np.float32)
        self.records[:, 12:] = shapes[:, LOOKS]
        self.records[:, 16] += np.repeat([0, *(placed.first_id for placed in scene.groups)], counts)
        self._parts, self._colors, self._painted = groups, self.records[:, PAINT].copy(), -1
        self.radii = shapes[:, RADIUS].copy()
        """Radius of a sphere around each shape's centre that holds it [m]."""
        kinds, rows = shapes[:, KIND].astype(np.intp), shapes[:, BODY].astype(np.intp)
        self.casts = kinds != KINDS.index("quad")
        """Which shapes cast shadows."""
        self.fixed = rows < 0
        """Which shapes never move."""
        self._rows = np.where(self.fixed, -1, rows + np.repeat([0, *(one.first_body for one in scene.groups)], counts))
        self._round = shapes[:, ROUND].copy()
        self._halves = shapes[:, HALVES].copy()
        self._local = shapes[:, LOCAL].reshape(-1, 4, 4)
        # Of a cylinder, what is less: its radius, or half its height.
        self._filled = np.minimum(self._round, np.linalg.norm(self._local[:, :3, 2], axis=1))
        self._world = np.zeros((len(shapes), 3, 4))
        self._least = -self.radii
        # The last row is the world's own pose, which body -1 finds there.
        self._poses = np.zeros((self.bodies + 1, 3, 4))
        self._poses[-1, :, :3] = np.eye(3)
        self._put(slice(None))
        (moving,) = np.nonzero(~self.fixed)
        # From the first that moves to the last: most worlds' fixed shapes come before those of robots.
        self._moving = slice(int(moving[0]), int(moving[-1]) + 1) if len(moving) else slice(0)
        meshes = [mesh for group in groups for mesh in group.meshes]
        numbers = {mesh: number for number, mesh in enumerate(dict.fromkeys(meshes))}
        self.meshes: list[TriangleMesh] = list(numbers)
        """Each once."""
        self._groups = FIRST_GROUPS[kinds]
        self._groups[kinds == KINDS.index("mesh")] += np.array([numbers[mesh] for mesh in meshes], dtype=np.intp)

    def place(self, positions: Array, rotations: Array) -> None:
        """Puts all shapes where their bodies are: positions (N, 3) [m], rotations (N, 3, 3)."""
        self._poses[:-1, :, :3] = rotations[: self.bodies]
        self._poses[:-1, :, 3] = positions[: self.bodies]
        self._put(self._moving)

    def _put(self, which: slice) -> None:
        np.matmul(self._poses[self._rows[which]], self._local[which], out=self._world[which])
        self.records[which, :12] = self._world[which].reshape(-1, 12)

    @property
    def centres(self) -> Array:
        """Where each shape is in the world [m]."""
        centres: Array = self._world[:, :, 3]
        return centres

    def paint(self, number: int) -> None:
        """Has shapes look as in a class of radiation (reflected, emitted, nothing), or with -1 in their colours."""
        if number == self._painted:
            return
        self.records[:, PAINT] = self._colors
        if number >= 0:
            shown = np.concatenate([group.radiation(number) for group in self._parts])
            self.records[:, PAINT] = np.hstack([shown, np.zeros((len(shown), 1))])
        self._painted = number

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

        A round shape around the eye itself, such as a mirror that a camera looks from, shows nothing but backs, which
        are not drawn: it is left out. In the finest detail it would have most of a picture's triangles.
        `pixels` is the apparent radius of a sphere of 1 m at 1 m from the eye (an eye of nan means parallel rays,
        where distance does not count), `limits` the largest radius for each level of detail [px].
        """
        inside = np.logical_and.reduce(planes[:, :3] @ self.centres.T + planes[:, 3:] > self._least)
        if among is not None:
            inside &= among
        (seen,) = inside.nonzero()
        rounded = self._round[seen]
        if np.isnan(eye[0]):
            apparent = rounded * pixels
        else:
            away = self.centres[seen] - eye
            distance = np.sqrt(np.einsum("ij,ij->i", away, away))
            outside = distance >= INSIDE * self._filled[seen]
            if not outside.all():
                seen, rounded, distance = seen[outside], rounded[outside], distance[outside]
            apparent = rounded * pixels / np.maximum(distance - rounded, 1e-6)
        # What is not round has an apparent radius of 0, and one level.
        groups = self._groups[seen] + limits[: LEVELS - 1].searchsorted(apparent)
        order = groups.argsort(kind="stable")
        records = self.records[seen[order]]
        counts = np.bincount(groups)
        start = 0
        for group in counts.nonzero()[0].tolist():
            end = start + int(counts[group])
            yield group, records[start:end]
            start = end
