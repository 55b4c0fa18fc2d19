"""A closed surface of triangles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ubersim.description.base import LARGEST, MeshSkin, Outline, Solid
from ubersim.description.component import Flaw, component
from ubersim.description.fields import integers, number, numbers, text
from ubersim.description.mass import MassProperties
from ubersim.description.texture import LONGEST_TEXT, picture_bytes, picture_size
from ubersim.geometry import Array, Pose, product

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Body, Geom, World
    from ubersim.physics.mesh import CollisionMesh

MOST_VERTICES = 100_000
MOST_TRIANGLES = 200_000
SMALLEST_AREA = 1e-11
"""Of twice a triangle [m^2]."""
SMALLEST_VOLUME = 1e-12
"""[m^3]: a cube of the smallest size that other solids may have."""


@component
class Mesh(Solid):
    """The inside of a closed surface of triangles; mass of constant density within it."""

    vertices: tuple[float, ...] = numbers(
        "corners: x y z of each, in its own frame",
        unit="m",
        low=-1e9,
        high=1e9,
        group=3,
        most=MOST_VERTICES,
        default=(),
    )
    triangles: tuple[int, ...] = integers(
        "three corners each, counted from 0, counterclockwise seen from outside",
        high=MOST_VERTICES - 1,
        group=3,
        most=MOST_TRIANGLES,
        default=(),
    )
    scale: float = number("factor on the vertices; 0.001 for a drawing in millimetres", low=1e-9, high=1e9, default=1.0)
    file: str | None = text("mesh file beside the document, instead of Vertices and Triangles", default=None)
    vertex_colors: tuple[int, ...] = integers(
        "red, green and blue of each vertex, 0 to 255; `Color` is a factor on them",
        high=255,
        group=3,
        most=MOST_VERTICES,
        default=(),
    )
    face_colors: tuple[int, ...] = integers(
        "red, green and blue of each triangle, 0 to 255; `Color` is a factor on them",
        high=255,
        group=3,
        most=MOST_TRIANGLES,
        default=(),
    )
    texture: str | None = text(
        "a PNG or JPEG file as base64, drawn on it; `Color` is a factor on it", longest=LONGEST_TEXT, default=None
    )
    texture_points: tuple[float, ...] = numbers(
        "where each vertex is in the texture: to the right and up, 0 to 1; beyond, it repeats",
        low=-1e4,
        high=1e4,
        group=2,
        most=MOST_VERTICES,
        default=(),
    )

    @cached_property
    def vertex_array(self) -> Array:
        """The corners, one per row [m]."""
        return self.scale * np.array(self.vertices, dtype=np.float64).reshape(-1, 3)

    @cached_property
    def triangle_array(self) -> NDArray[np.int32]:
        """The triangles, one per row."""
        return np.array(self.triangles, dtype=np.int32).reshape(-1, 3)

    @cached_property
    def volume(self) -> float:
        """Volume inside the surface [m^3]; negative if the triangles are the wrong way round."""
        return float(self._tetrahedra().sum())

    def own_mass(self) -> MassProperties:
        corners = self._corners()
        volumes = self._tetrahedra()
        volume = volumes.sum()
        # A tetrahedron from `origin` has its centre at a quarter of its corners' sum, and the second moments
        # V/20 (s s^T + sum of c c^T) with s that sum.
        sums = corners.sum(axis=1)
        center = (volumes[:, None] * sums).sum(axis=0) / (4 * volume)
        moments = np.einsum("t,ti,tj->ij", volumes, sums, sums) + np.einsum("t,tci,tcj->ij", volumes, corners, corners)
        moments = moments / (20 * volume) - np.outer(center, center)
        inertia = self.mass * (np.trace(moments) * np.eye(3) - moments)
        return MassProperties(self.mass, self._origin + center, inertia)

    def reach(self, direction: Array) -> float:
        return float(product(self.vertex_array, direction).max())

    def outline(self) -> Outline:
        return Outline("mesh", mesh=(self.vertex_array, self.triangle_array), skin=self.skin)

    @cached_property
    def skin(self) -> MeshSkin | None:
        """Its colours, if it has more than one."""
        if self.texture is not None:
            return MeshSkin(places=np.array(self.texture_points).reshape(-1, 2), texture=self.texture)
        if self.face_colors:
            faces = np.array(self.face_colors, dtype=np.uint8).reshape(-1, 1, 3)
            return MeshSkin(tints=np.repeat(faces, 3, axis=1))
        if self.vertex_colors:
            return MeshSkin(tints=np.array(self.vertex_colors, dtype=np.uint8).reshape(-1, 3)[self.triangle_array])
        return None

    @property
    def triangle_count(self) -> int:
        return len(self.triangles) // 3

    @property
    def texture_pixels(self) -> int:
        return 0 if self.texture is None else math.prod(picture_size(picture_bytes(self.texture)))

    def prepare(self) -> None:
        super().prepare()
        if self.tangible:
            _ = self._built

    @cached_property
    def _built(self) -> CollisionMesh:
        from ubersim.physics.mesh import shared_mesh

        return shared_mesh(self.vertex_array, self.triangle_array)

    def add_to(self, world: World, owner: int, body: Body | None, material: int, frame: Pose) -> Geom:
        pose = frame @ self.pose
        return world.add_mesh(owner, body, material, pose.position, pose.rotation, self._built)

    def __getstate__(self) -> dict[str, Any]:
        """What was built stays in the process that it was built in."""
        return {name: value for name, value in self.__dict__.items() if name != "_built"}

    def flaws(self) -> Iterator[Flaw]:
        if self.file is not None:
            yield Flaw("a mesh file has to be inlined before it can be read: load the document as a file", "file")
        elif not len(self.triangle_array):
            yield Flaw("has no triangles; give Vertices and Triangles, or a File", "triangles")
        elif (highest := int(self.triangle_array.max())) >= len(self.vertex_array):
            known = f"the vertices are 0 to {len(self.vertex_array) - 1}"
            yield Flaw(f"corner {highest} does not exist; {known}", "triangles")
        elif np.abs(self.vertex_array).max() > LARGEST:
            yield Flaw(f"a vertex is farther than {LARGEST:g} m from the mesh's origin", "vertices")
        elif trouble := self._miscolored():
            yield Flaw(*trouble)
        elif self.tangible:
            yield from self._not_solid()

    def _miscolored(self) -> tuple[str, str] | None:
        """What is wrong with its colours, and where."""
        counts = {"vertex_colors": len(self.vertices) // 3, "face_colors": len(self.triangles) // 3}
        for name, needed in counts.items():
            if (given := getattr(self, name)) and len(given) != 3 * needed:
                return f"holds {len(given) // 3} colours; there are {needed} to be coloured", name
        if sum(map(bool, (self.vertex_colors, self.face_colors, self.texture))) > 1:
            return "is coloured in two ways; one of VertexColors, FaceColors and Texture is enough", ""
        if bool(self.texture) != bool(self.texture_points):
            return "a Texture needs TexturePoints, and the other way round", ""
        if self.texture is None:
            return None
        if len(self.texture_points) // 2 != counts["vertex_colors"]:
            return (
                f"holds {len(self.texture_points) // 2} points for {len(self.vertices) // 3} vertices",
                "texture_points",
            )
        try:
            picture_bytes(self.texture)
        except ValueError as error:
            return str(error), "texture"
        return None

    def _not_solid(self) -> Iterator[Flaw]:
        """Why it encloses nothing."""
        if len(self.triangle_array) < 4:
            yield Flaw("has fewer than 4 triangles, which cannot enclose a volume", "triangles")
        elif (flat := self._flat_triangle()) is not None:
            yield Flaw(f"triangle {flat}, counted from 0, has no area", "triangles")
        elif trouble := self._open_edges():
            yield Flaw(trouble, "triangles")
        elif self.volume <= -SMALLEST_VOLUME:
            yield Flaw("the surface is inside out; corners go counterclockwise, seen from outside", "triangles")
        elif self.volume < SMALLEST_VOLUME:
            yield Flaw(
                f"the surface encloses {self.volume:.3g} m^3; at least {SMALLEST_VOLUME:g} are needed", "triangles"
            )

    def _flat_triangle(self) -> int | None:
        """One whose corners are on a line: collision detection finds no normal there."""
        corners = self._corners()
        doubled = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        flattest = int(doubled.argmin())
        return flattest if doubled[flattest] < SMALLEST_AREA else None

    def _open_edges(self) -> str:
        """Why the surface is not closed: every edge has to be run through once in either direction."""
        triangles = self.triangle_array.astype(np.int64)
        start = triangles.ravel()
        end = np.roll(triangles, -1, axis=1).ravel()
        forward = np.sort(start * len(self.vertex_array) + end)
        backward = np.sort(end * len(self.vertex_array) + start)
        if (repeated := forward[:-1][forward[1:] == forward[:-1]]).size:
            return (
                f"edge {self._edge(repeated[0])} is run through twice the same way: triangles repeat or are turned over"
            )
        if not np.array_equal(forward, backward):
            single = np.setdiff1d(forward, backward)
            return f"the surface is not closed: edge {self._edge(single[0])} has a triangle on one side only"
        return ""

    def _edge(self, code: np.int64) -> str:
        start, end = divmod(int(code), len(self.vertex_array))
        return f"{start}-{end}"

    @cached_property
    def _origin(self) -> Array:
        """Common tip of all tetrahedra; near the mesh, so that no digits cancel."""
        middle: Array = self.vertex_array.mean(axis=0)
        return middle

    def _corners(self) -> Array:
        corners: Array = self.vertex_array[self.triangle_array] - self._origin
        return corners

    def _tetrahedra(self) -> Array:
        """Signed volume of the tetrahedron over each triangle."""
        corners = self._corners()
        volumes: Array = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
        return volumes
