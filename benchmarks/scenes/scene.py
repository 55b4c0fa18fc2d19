"""Bodies, shapes, joints and surfaces as plain data, in world coordinates and SI units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ubersim.description.materials import Surface
from ubersim.geometry import Array, Triple
from ubersim.protocol.properties import AXIS_PROPERTIES

ShapeKind = Literal["box", "sphere", "capsule", "cylinder", "plane", "mesh"]
JointKind = Literal["ball", "hinge", "hinge2", "slider", "universal", "fixed", "amotor"]
UNTURNED = np.eye(3)


class CannotBeToldError(Exception):
    """A scene that an engine has no words for."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Something that collides."""

    kind: ShapeKind
    """Which of the shapes."""
    size: tuple[float, ...] = ()
    """Edges of a box; radius; radius and height without the caps; normal and offset of a plane [m]."""
    position: Array = field(default_factory=lambda: np.zeros(3))
    """Of its centre [m]."""
    rotation: Array = field(default_factory=lambda: UNTURNED)
    """From its own axes to the world's."""
    material: str = "stuff"
    """What it is made of."""
    self_collision: bool = True
    """Whether it collides with others of the same owner."""
    vertices: Array | None = None
    """Of a mesh, in its own axes [m], shape (N, 3)."""
    triangles: Array | None = None
    """Of a mesh: corners, shape (M, 3)."""


@dataclass(eq=False)
class BodySpec:
    """A rigid body at the beginning."""

    mass: float
    """[kg]"""
    inertia: Array
    """About the centre of mass, in the body's axes [kg m^2], shape (3, 3)."""
    position: Array
    """Of the centre of mass [m]."""
    rotation: Array
    """From the body's axes to the world's."""
    shapes: list[Shape] = field(default_factory=list)
    """What moves with it."""
    linear: Array = field(default_factory=lambda: np.zeros(3))
    """[m/s]"""
    angular: Array = field(default_factory=lambda: np.zeros(3))
    """[rad/s], in world axes."""
    owner: int = 1
    """Robots are 1, 2, ..."""


@dataclass(eq=False)
class JointSpec:
    """A joint; a positive rate moves the first body relative to the second."""

    kind: JointKind
    """Which of the joints."""
    first: int
    """Index of a body."""
    second: int | None
    """Index of the other body; None: the static world."""
    anchor: Array
    """[m]"""
    axes: list[Array]
    """Directions at the beginning."""
    properties: dict[int, float] = field(default_factory=dict)
    """By their numbers on the wire: stops, motors, springs."""
    owner: int = 1
    """To whom it belongs."""


@dataclass(eq=False)
class Scene:
    """All of it."""

    step: float = 0.001
    """[s]"""
    gravity: Triple = (0.0, 0.0, -9.81)
    """[m/s^2]"""
    bodies: list[BodySpec] = field(default_factory=list)
    """In the order in which engines tell of them."""
    statics: list[Shape] = field(default_factory=list)
    """What never moves."""
    joints: list[JointSpec] = field(default_factory=list)
    """Together with the bodies, a forest."""
    surfaces: dict[tuple[str, str], Surface] = field(default_factory=dict)
    """How those materials meet that do meet."""
    other_surface: Surface = field(default_factory=Surface)
    """How all others would."""
    plain_surfaces: dict[tuple[str, str], Surface] | None = None
    """What engines are told that have no matrix of materials, where it is not the same."""

    def surface(self, one: str, other: str) -> Surface:
        """How two materials meet, in whichever order."""
        return self.surfaces.get((one, other)) or self.surfaces.get((other, one)) or self.other_surface

    @property
    def materials(self) -> list[str]:
        """All materials, in order of appearance."""
        shapes = [*self.statics, *(shape for body in self.bodies for shape in body.shapes)]
        return list(dict.fromkeys(shape.material for shape in shapes)) or ["stuff"]

    def ground(self, material: str = "stuff") -> None:
        """A level ground at z = 0."""
        self.plane((0.0, 0.0, 1.0), 0.0, material)

    def plane(self, normal: Sequence[float] | Array, offset: float, material: str = "stuff") -> None:
        """The half-space below the plane normal * x = offset."""
        self.statics.append(Shape("plane", (*map(float, normal), offset), material=material))

    def add(
        self,
        shape: Shape | None,
        mass: float,
        *,
        position: Sequence[float] | Array | None = None,
        inertia: Array | None = None,
        linear: Sequence[float] | Array = (0.0, 0.0, 0.0),
        angular: Sequence[float] | Array = (0.0, 0.0, 0.0),
    ) -> int:
        """A body of one shape, homogeneous if nothing else is said, or of none; returns its index."""
        if shape is not None:
            position = shape.position if position is None else position
            inertia = homogeneous(shape, mass) if inertia is None else inertia
        assert position is not None and inertia is not None, "a body without a shape needs both"
        turn = UNTURNED if shape is None else shape.rotation
        body = BodySpec(mass, np.array(inertia), np.array(position, dtype=float), turn, [shape] if shape else [])
        body.linear, body.angular = np.array(linear, dtype=float), np.array(angular, dtype=float)
        self.bodies.append(body)
        return len(self.bodies) - 1

    def join(
        self,
        kind: JointKind,
        first: int,
        second: int | None,
        anchor: Sequence[float] | Array = (0.0, 0.0, 0.0),
        *axes: Sequence[float] | Array,
        **properties: float,
    ) -> int:
        """A joint between two bodies, with properties by name; returns its index."""
        numbers = {AXIS_PROPERTIES[name]: value for name, value in properties.items()}
        directions = [np.array(axis, dtype=float) / np.linalg.norm(axis) for axis in axes]
        self.joints.append(JointSpec(kind, first, second, np.array(anchor, dtype=float), directions, numbers))
        return len(self.joints) - 1


def homogeneous(shape: Shape, mass: float) -> Array:
    """The moments of inertia of a homogeneous body [kg m^2]."""
    match shape.kind, shape.size:
        case "box", (x, y, z):
            moments = (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12
        case "sphere", (radius,):
            moments = (0.4 * radius**2,) * 3
        case "cylinder", (radius, height):
            across = radius**2 / 4 + height**2 / 12
            moments = across, across, radius**2 / 2
        case kind, _:
            raise ValueError(f"a body of kind {kind} needs its inertia said")
    inertia: Array = mass * np.diag(moments)
    return inertia


def box(
    edges: Sequence[float], position: Sequence[float] | Array, rotation: Array = UNTURNED, material: str = "stuff"
) -> Shape:
    """[m]"""
    return Shape("box", tuple(map(float, edges)), np.array(position, dtype=float), rotation, material)


def ball(radius: float, position: Sequence[float] | Array, material: str = "stuff") -> Shape:
    """[m]"""
    return Shape("sphere", (radius,), np.array(position, dtype=float), material=material)


def rod(
    radius: float, height: float, position: Sequence[float] | Array, rotation: Array, material: str = "stuff"
) -> Shape:
    """A capsule along its own z axis [m]."""
    return Shape("capsule", (radius, height), np.array(position, dtype=float), rotation, material)
