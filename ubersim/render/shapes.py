"""What is drawn: shapes of one colour on bodies, and meshes. Plain values in SI units; colours are r, g, b."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = tuple[float, float, float]
Color = tuple[float, float, float]
Rotation = tuple[Vector, Vector, Vector]
Radiation = tuple[tuple[float, float], ...]
"""What is reflected and what is emitted, in each class."""
Kind = Literal["box", "sphere", "capsule", "cylinder", "quad", "mesh"]

KINDS: tuple[Kind, ...] = get_args(Kind)
SIZES: dict[Kind, int] = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2, "quad": 2, "mesh": 0}
IDENTITY: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def rotation_rows(matrix: ArrayLike) -> Rotation:
    """A rotation matrix as a Shape wants it."""
    x, y, z = ((float(a), float(b), float(c)) for a, b, c in np.asarray(matrix, dtype=float))
    return x, y, z


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles in the shape's frame. Meshes with the same content are equal, and are stored and drawn together."""

    vertices: NDArray[np.float64]
    """Corners [m], (V, 3)."""
    triangles: NDArray[np.int64]
    """Indices of each triangle's corners, counter-clockwise seen from outside, (T, 3)."""
    tints: NDArray[np.uint8] | None = None
    """Red, green and blue of each corner of each triangle, factors on the shape's colour, (T, 3, 3)."""
    places: NDArray[np.float64] | None = None
    """Where each vertex is in the texture: to the right and up, 0 to 1, (V, 2)."""
    texture: str = ""
    """A PNG or JPEG file as base64, a factor on the shape's colour; empty: none."""
    digest: bytes = field(init=False, repr=False)
    """Hash of the content."""

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, dtype=np.float64)
        triangles = np.array(self.triangles, dtype=np.int64)
        if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
            raise ValueError("mesh: vertices are finite, of shape (V, 3)")
        if triangles.ndim != 2 or triangles.shape[1] != 3 or len(triangles) == 0:
            raise ValueError("mesh: triangles are of shape (T, 3), T at least 1")
        if triangles.min() < 0 or triangles.max() >= len(vertices):
            raise ValueError("mesh: triangles name vertices that are there")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)
        if self.tints is not None:
            object.__setattr__(self, "tints", np.array(self.tints, dtype=np.uint8).reshape(len(triangles), 3, 3))
        if self.places is not None:
            object.__setattr__(self, "places", np.array(self.places, dtype=np.float64).reshape(len(vertices), 2))
        content = vertices.tobytes() + triangles.tobytes() + self.texture.encode()
        content += b"".join(part.tobytes() for part in (self.tints, self.places) if part is not None)
        object.__setattr__(self, "digest", blake2b(content, digest_size=16).digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TriangleMesh) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(frozen=True)
class Shape:
    """One thing of one colour, fixed to a body or to the world."""

    kind: Kind
    """What it is; a `quad` is a thin rectangle in its own x-y plane, for markings on the ground."""
    size: tuple[float, ...] = ()
    """Box, quad: edges; sphere: radius; capsule, cylinder: radius and height along z, without caps [m]."""
    color: Color = (0.7, 0.7, 0.7)
    """Colour in full white light [0..1]."""
    body: int = -1
    """Row of its body in the poses that are drawn; -1: the world, which never moves."""
    position: Vector = (0.0, 0.0, 0.0)
    """Centre in the body's frame [m]."""
    rotation: Rotation = IDENTITY
    """Rows of the matrix that turns the shape's axes into the body's."""
    object_id: int = 0
    """What a segmentation picture says here, 1 to 65535; 0 is nothing."""
    mesh: TriangleMesh | None = None
    """The triangles, if the kind is `mesh`."""
    radiation: Radiation = ()
    """What it reflects and emits in each of the scene's further classes of radiation [0..1]."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"shape: kind is one of {', '.join(KINDS)}")
        numbers = np.array([*self.size, *self.color, *self.position, *np.ravel(self.rotation)])
        if len(self.size) != SIZES[self.kind] or not np.isfinite(numbers).all() or (self.size and min(self.size) < 0):
            raise ValueError(f"shape: a {self.kind} has {SIZES[self.kind]} sizes, none negative, and finite numbers")
        if (self.kind == "mesh") != (self.mesh is not None):
            raise ValueError("shape: a mesh, and only a mesh, has triangles")
        if not 0 <= self.object_id <= 65535 or self.body < -1:
            raise ValueError("shape: object_id is 0 to 65535, body -1 or a row")
