"""What there is to see: shapes on bodies, ground, sky and lights. Plain values in SI units; colours are r, g, b."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = tuple[float, float, float]
Color = tuple[float, float, float]
Rotation = tuple[Vector, Vector, Vector]
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
        content = vertices.tobytes() + triangles.tobytes()
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


@dataclass(frozen=True)
class GroundPlane:
    """A level floor without end."""

    height: float = 0.0
    """World z [m]."""
    color: Color = (0.66, 0.69, 0.72)
    """Every other tile [0..1]."""
    second_color: Color = (0.60, 0.635, 0.67)
    """The tiles between [0..1]."""
    tile: float = 0.5
    """Edge of a tile [m]; 0: no tiles, one colour."""
    line_color: Color = (0.76, 0.785, 0.81)
    """The joints between the tiles [0..1]."""
    line_width: float = 0.008
    """Width of the joints [m]; 0: none."""
    fade: float = 30.0
    """Distance at which the ground has mostly become the horizon's colour [m]; 0: it never does."""
    object_id: int = 0
    """What a segmentation picture says here."""


@dataclass(frozen=True)
class Sky:
    """What is seen where nothing is."""

    zenith: Color = (0.36, 0.56, 0.82)
    """Straight up [0..1]."""
    horizon: Color = (0.84, 0.89, 0.94)
    """Level, and below [0..1]."""


@dataclass(frozen=True)
class DirectionalSource:
    """Light from far away, as the sun's."""

    direction: Vector = (-0.45, 0.55, -1.0)
    """Where the light goes to; any length."""
    color: Color = (0.85, 0.83, 0.78)
    """Strength per channel; 1 shows a colour as it is [1]."""
    shadow: bool = True
    """Whether it casts shadows, in cameras that want them."""


@dataclass(frozen=True)
class PointSource:
    """A lamp that shines into all directions; it casts no shadows."""

    position: Vector
    """World [m]."""
    color: Color = (1.0, 1.0, 1.0)
    """Strength per channel close to the lamp [1]."""
    reach: float = 5.0
    """Distance at which half of the strength is left; far away it falls with the square [m]."""


@dataclass(frozen=True)
class SpotSource:
    """A lamp that shines into a cone."""

    position: Vector
    """World [m]."""
    direction: Vector
    """Where the light goes to; any length."""
    color: Color = (1.0, 1.0, 1.0)
    """Strength per channel close to the lamp [1]."""
    reach: float = 5.0
    """Distance at which half of the strength is left [m]."""
    cone: float = 0.6
    """Angle between the axis and the edge of the light [rad]."""
    soft: float = 0.2
    """Part of the cone over which the light fades to nothing [0..1]."""
    shadow: bool = True
    """Whether it casts shadows, in cameras that want them."""


Light = DirectionalSource | PointSource | SpotSource


@dataclass(frozen=True)
class Lights:
    """Everything that shines."""

    sources: tuple[Light, ...] = (DirectionalSource(),)
    """Lamps and suns; at most 8, of which 4 cast shadows."""
    above: Color = (0.34, 0.37, 0.42)
    """Ambient light on what faces up [1]."""
    below: Color = (0.22, 0.20, 0.18)
    """Ambient light on what faces down [1]."""
    gloss: float = 0.0
    """Strength of highlights [0..1]; 0 costs nothing."""
    shadow_size: int = 1024
    """Edge of each shadow map [px]."""
    shadow_softness: int = 0
    """Half width of the smoothing of shadow edges, 0 to 4 [px of the map]."""
    shadow_reach: float = 20.0
    """Radius around the middle of the scene in which the sun's shadows fall [m]."""

    def __post_init__(self) -> None:
        casting = [light for light in self.sources if not isinstance(light, PointSource) and light.shadow]
        if len(self.sources) > 8 or len(casting) > 4:
            raise ValueError("lights: at most 8, of which at most 4 cast shadows")
        if not 16 <= self.shadow_size <= 4096 or not 0 <= self.shadow_softness <= 4 or not self.shadow_reach > 0:
            raise ValueError("lights: shadow_size is 16 to 4096, shadow_softness 0 to 4, shadow_reach above 0")


@dataclass(frozen=True)
class Scene:
    """Everything to be seen, except where the bodies are at the moment."""

    shapes: tuple[Shape, ...] = ()
    """All shapes, in any order."""
    ground: GroundPlane | None = field(default_factory=GroundPlane)
    """The floor, or none."""
    sky: Sky = field(default_factory=Sky)
    """The background."""
    lights: Lights = field(default_factory=Lights)
    """The light."""

    @cached_property
    def bodies(self) -> int:
        """How many rows of poses drawing needs."""
        return max((shape.body + 1 for shape in self.shapes), default=0)
