"""The families of components: what all solids, all sensors, all joints and all lights have in common.

Here nothing is known of the physics world: what is built into it, and what comes back, is `Any` in these bases, and has
its proper type in the members, each in a file of its own in `ubersim.components`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from ubersim.description.commanded import CommandedComponent
from ubersim.description.component import Component, Flaw, component
from ubersim.description.fields import (
    angles,
    color,
    flag,
    label,
    material,
    nested,
    number,
    radiations,
    reference,
    text,
    vector,
)
from ubersim.description.mass import MassProperties
from ubersim.description.readings import JointReport, ReadingDescription, delay, frequency, stamped
from ubersim.geometry import Array, Pose, Triple, product, rotation_xyz
from ubersim.protocol.names import VISIBLE
from ubersim.protocol.properties import AXES, on_axis
from ubersim.timing.latency import LatencyModel

FARTHEST = 1e5
"""Largest coordinate [m]: beyond it, collision detection has no digits left to work with."""
SMALLEST, LARGEST = 1e-4, 1e4
"""Bounds of a solid's size [m]."""
LIGHTEST, HEAVIEST = 1e-6, 1e6
"""Bounds of a solid's mass [kg]."""
STATIC = "World"
"""What joints call the world that does not move."""


@component
class Primitive(Component, ABC, family="primitives"):
    """Something that is fixed to a body."""

    name: str = label("name, unique in the document")
    position: Triple = vector("where its own origin is, in model space", unit="m", high=FARTHEST)
    rotation: Triple = angles(
        "turns it about the x, then the y, then the z axis of model space", default=(0.0, 0.0, 0.0)
    )

    @cached_property
    def pose(self) -> Pose:
        """Its own frame, seen from model space."""
        return Pose(np.array(self.position), rotation_xyz(self.rotation))


@dataclass(frozen=True, eq=False)
class MeshSkin:
    """Colours of a mesh that has more than one; the solid's own is a factor on them."""

    tints: Any = None
    """Red, green and blue of each corner of each triangle, 0 to 255, (T, 3, 3)."""
    places: Any = None
    """Where each vertex is in the texture: to the right and up, 0 to 1, (V, 2)."""
    texture: str = ""
    """The file of the texture, as base64."""


@dataclass(frozen=True)
class Outline:
    """What a solid looks like, in its own frame."""

    kind: Literal["box", "sphere", "capsule", "cylinder", "mesh"]
    """What is drawn."""
    size: tuple[float, ...] = ()
    """Edges of a box; radius, and height without caps, of the round ones [m]."""
    mesh: tuple[Any, Any] | None = None
    """Corners [m] and triangles of a mesh."""
    skin: MeshSkin | None = None
    """Its colours, if it has more than one."""


@component
class Solid(Primitive, CommandedComponent, family="solids"):
    """Something with mass that things collide with; commands change its colour, as that of a lamp."""

    mass: float = number(
        "mass, of constant density; required, unless the body has an Inertia",
        unit="kg",
        low=LIGHTEST,
        high=HEAVIEST,
        default=0.0,
        required=False,
    )
    material: str = material("what it is made of, which decides about friction and bounce", default="", required=True)
    color: Triple = color("what it looks like", default=(0.7, 0.7, 0.7), index=("Red", "Green", "Blue"))
    visible: bool = flag("whether it is to be seen", default=True)

    @property
    def tangible(self) -> bool:
        """Whether it has a place in the physics world; what stands in `Visual` is made of nothing."""
        return self.material != ""

    @abstractmethod
    def own_mass(self) -> MassProperties:
        """Its mass properties in its own frame."""

    @abstractmethod
    def reach(self, direction: Array) -> float:
        """How far it extends from its own origin along a unit vector of its own frame [m]."""

    @abstractmethod
    def outline(self) -> Outline:
        """What it looks like."""

    @abstractmethod
    def add_to(self, world: Any, owner: int, body: Any, material: int, frame: Pose) -> Any:
        """Puts it into a physics world; `frame` is the pose of model space there. Returns the world's geom."""

    @property
    def triangle_count(self) -> int:
        """Of a surface of triangles that it brings along."""
        return 0

    @property
    def texture_pixels(self) -> int:
        """Of a picture that it brings along."""
        return 0

    def prepare(self) -> None:
        """Does what takes long, and does not depend on the world that it comes to: before, in any thread."""
        self.bounds()

    def mass_properties(self) -> MassProperties:
        """Its mass properties in model space."""
        return self.own_mass().seen_from(self.pose)

    def lowest(self, rotation: Array) -> float:
        """Height of its lowest point above the model's origin, when the model is turned by `rotation` [m]."""
        down = -rotation[2]
        return -self.extent(down)

    def extent(self, direction: Array) -> float:
        """How far it extends from the model's origin along a unit vector of model space [m]."""
        pose = self.pose
        return float(product(direction, pose.position)) + self.reach(product(pose.rotation.T, direction))

    def bounds(self) -> tuple[Array, Array]:
        """The smallest and the largest coordinates of its box in model space [m]."""
        return self._bounds

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        position, axes = self.pose.position, self.pose.rotation  # whose rows are model space's axes in its own frame
        return position - [self.reach(-axis) for axis in axes], position + [self.reach(axis) for axis in axes]


@component
class SensorDescription(Primitive, ReadingDescription, family="sensors"):
    """Something that measures, fixed to a body; unturned it looks along the body's +y, with +z up."""

    frequency: float | None = frequency("Frequency")
    latency: LatencyModel = delay("Latency")
    noise: float = number(
        "standard deviation of gaussian noise, in the unit of the reading",
        low=0.0,
        high=1e6,
        default=0.0,
        index="Noise",
    )
    stamped: bool = stamped()
    model: str | None = text("label: which product it stands for", longest=64, default=None)
    type: str | None = text("label: what sort of sensor it is to programs", longest=64, default=None)
    feature: str | None = text("label: what its reading means to programs", longest=64, default=None)

    @property
    def labels(self) -> dict[str, str]:
        """The labels that it has, for programs that look for a reading by what it means."""
        given = {"Model": self.model, "Type": self.type, "Feature": self.feature}
        return {kind: value for kind, value in given.items() if value is not None}

    @abstractmethod
    def build(self, mount: Any, rng: np.random.Generator) -> Any:
        """Its reader, with `sample() -> bytes` and `set(number, value)`."""


@dataclass(frozen=True)
class Expansion:
    """What a joint amounts to: an element may stand for a whole assembly."""

    bodies: tuple[Any, ...]
    """The bodies that it brings along."""
    joints: tuple[JointDescription, ...]
    """The plain joints that it is made of; the first has its name."""
    one_thing: bool = False
    """Whether its bodies keep their places about the first one, so that they look like one thing."""


@component
class JointDescription(CommandedComponent, ABC, family="joints"):
    """A constraint or motor between two bodies, set up from their initial poses."""

    kind: ClassVar[str]
    """What the physics world calls it."""
    holds_a_point: ClassVar[bool] = True
    """Whether its anchor matters; if not, a document may give one all the same, for the reader."""
    alone: ClassVar[bool] = True
    """Whether it can connect a single body to the static world."""

    name: str = label("name, unique in the document")
    body1: str = reference("the body that a positive `Vel` moves", to="Body", static=STATIC, default=STATIC)
    body2: str = reference("the body relative to which it moves", to="Body", static=STATIC, default=STATIC)
    report: JointReport | None = nested(
        "its positions and rates as readings under its own name; without it, it tells nothing",
        JointReport,
        default=None,
    )

    @property
    def anchor(self) -> Triple | None:
        """The point that it holds, its field `anchor_pos`, in model space; None for joints that hold none."""
        return getattr(self, "anchor_pos", None) if self.holds_a_point else None

    @property
    def axes(self) -> tuple[Triple, ...]:
        """Its fields `axis`, or `axis1` and so on, in model space, not normalised."""
        fields = (getattr(self, name, None) for name in ("axis", "axis1", "axis2", "axis3"))
        return tuple(axis for axis in fields if axis is not None)

    @property
    def initial(self) -> dict[int, float]:
        """The properties that the document sets: by number, in SI units."""
        values = {entry.index: getattr(self, entry.attribute) for entry in self.entries() if entry.index is not None}
        return {index: value for index, value in values.items() if value is not None}

    def units(self, axis: int) -> tuple[str, str, str]:
        """Of position, rate and effort of an axis, counted from 0: whether it turns or slides, its `Vel` says."""
        rate = next((entry for entry in self.entries() if entry.tag == on_axis("Vel", axis)), None)
        slides = rate is not None and getattr(rate.kind, "unit", "") == "m/s"
        return ("m", "m/s", "N") if slides else ("rad", "rad/s", "N m")

    @property
    def axis_count(self) -> int:
        """How many axes it has: a piston's second is its first; those that its document leaves out do not count."""
        moving = {on_axis("Vel", axis) for axis in range(AXES)} & {entry.tag for entry in self.entries()}
        left_out = sum(getattr(self, name, ()) is None for name in ("axis2", "axis3"))
        return max(len(self.axes), len(moving) - left_out)

    @property
    def brings(self) -> int:
        """How many bodies it brings along."""
        return 0

    @property
    def expansion(self) -> Expansion:
        """What it amounts to: itself, unless it stands for an assembly."""
        return Expansion((), (self,))

    def build(self, world: Any, owner: int, bodies: Mapping[str, Any], frame: Pose) -> Any:
        """Puts it into a physics world; `frame` is the pose of model space there. Returns the world's joint."""
        anchor = None if self.anchor is None else frame.apply(self.anchor)
        axes = [frame.turn(axis) for axis in self.axes]
        joint = world.add_joint(
            owner, self.kind, bodies.get(self.body1), bodies.get(self.body2), anchor=anchor, axes=axes
        )
        joint.zero = getattr(self, "initial_position", 0.0)
        for index, value in self.initial.items():
            joint.set(index, value)
        return joint

    def flaws(self) -> Iterator[Flaw]:
        if self.body1 == self.body2 == STATIC:
            yield Flaw("connects nothing: give Body1, Body2 or both")
        elif self.body1 == self.body2:
            yield Flaw(f"connects body {self.body1!r} to itself", "body2")
        elif not self.alone and STATIC in (self.body1, self.body2):
            yield Flaw(f"a {self.tag} needs two bodies; the static world is none")
        if self.report is not None and not self.axis_count:
            yield Flaw(f"a {self.tag} has no axis, and so nothing to report", "report")
        given = {entry.tag: getattr(self, entry.attribute) for entry in self.entries()}
        for axis in range(AXES):
            low, high = (given.get(on_axis(name, axis)) for name in ("LoStop", "HiStop"))
            if low is not None and high is not None and low > high:
                field = next(entry.attribute for entry in self.entries() if entry.tag == on_axis("LoStop", axis))
                yield Flaw(f"the lower stop of axis {axis + 1} is above its upper stop", field)


@component
class Light(CommandedComponent, ABC, family="lights"):
    """Something that illuminates the world; where a robot carries it, commands change its colour."""

    name: str = label("name, unique in the document")
    color: Triple = color("colour of the light", default=(1.0, 1.0, 1.0), index=("Red", "Green", "Blue"))
    intensity: float = number("factor on the colour", low=0.0, high=100.0, default=1.0)
    radiation: tuple[str, ...] = radiations(
        "what it emits: `light`, which has the colour, and other classes, in which only `Intensity` counts",
        default=(VISIBLE,),
    )

    @property
    def strength(self) -> Triple:
        """Its light per channel."""
        red, green, blue = self.color
        return self.intensity * red, self.intensity * green, self.intensity * blue

    @abstractmethod
    def sources(self) -> Sequence[Any]:
        """The renderer's lamps that it consists of."""

    def ambient(self) -> Triple:
        """What it adds to the light from everywhere."""
        return 0.0, 0.0, 0.0
