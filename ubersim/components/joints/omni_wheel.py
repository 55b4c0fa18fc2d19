"""A wheel with rollers around its rim, which drives forward and gives way sideways."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np

from ubersim.components.joints.hinge import JointHinge
from ubersim.components.solids.cylinder import Cylinder
from ubersim.components.solids.roller_rim import RollerRim
from ubersim.components.solids.sphere import Sphere
from ubersim.description.base import LARGEST, LIGHTEST, SMALLEST, STATIC, Expansion
from ubersim.description.component import Flaw, component
from ubersim.description.fields import choice, color, integer, material, number
from ubersim.description.inertia import Inertia
from ubersim.description.mass import combined
from ubersim.description.robot import BodyDescription
from ubersim.geometry import Array, Triple, length, product, rotation_to_xyz

LONGEST_NAME = 48
"""So that the names of its parts are names, too."""


@component
class OmniWheel(JointHinge):
    """A driven hinge and the wheel on it: a hub with real rollers on hinges of their own; `Body2` is that hub.

    A roller is a row of spheres on its axle that touch the wheel's circle from within, so that the wheel is round.
    Its parts are bodies `NAME.Hub`, `NAME.Roller1`, ... and joints `NAME` and `NAME.Axle1`, ...; the rollers do not
    collide with the rest of the robot. On the level `contact` the hub is the only body: it weighs as much as all
    together, and a `RollerRim` stands for the rollers, so that it costs a fraction.
    """

    radius: float = number("of the whole wheel", unit="m", low=SMALLEST, high=LARGEST)
    roller_radius: float = number("of a roller at its thickest", unit="m", low=SMALLEST, high=LARGEST)
    rollers: int = integer("how many there are", low=3, high=32, default=8)
    facets: int = integer("spheres per roller: the more, the rounder", low=1, high=16, default=5)
    width: float = number("thickness of the hub", unit="m", low=SMALLEST, high=LARGEST, default=0.02)
    mass: float = number("of the hub", unit="kg", low=LIGHTEST, high=1e6)
    roller_mass: float = number("of each roller", unit="kg", low=LIGHTEST, high=1e6)
    level: Literal["rollers", "contact"] = choice(
        "`rollers` are bodies of their own, `contact` is one body that gives way sideways",
        "rollers",
        "contact",
        default="rollers",
    )
    hub_material: str = material("what the hub is made of", default="Plastic")
    hub_color: Triple = color("what the hub looks like", default=(0.7, 0.7, 0.7))
    material: str = material("what the rollers are made of", default="Rubber")
    color: Triple = color("what the rollers look like", default=(0.15, 0.15, 0.16))

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.body2 != STATIC:
            yield Flaw("is the wheel's own hub; leave it out", "body2")
        if len(self.name) > LONGEST_NAME:
            yield Flaw(f"its name has {len(self.name)} characters; allowed are {LONGEST_NAME}")
        if self.roller_radius >= 0.5 * self.radius:
            yield Flaw("leaves no room for a hub: it has to be less than half of the wheel's", "roller_radius")
        elif min(size for _, size in self._spheres()) < SMALLEST:
            least = self.radius * (1 - math.cos(self._widest()))
            yield Flaw(f"is too thin for {self.rollers} rollers; it has to be above {least:g} m", "roller_radius")

    @property
    def brings(self) -> int:
        return 1 if self.level == "contact" else 1 + self.rollers

    @cached_property
    def expansion(self) -> Expansion:
        hub = f"{self.name}.Hub"
        own = {entry.attribute for entry in JointHinge.entries()} - {"body2"}
        wheel = JointHinge(body2=hub, **{attribute: getattr(self, attribute) for attribute in own})
        frames = [self._frame(math.tau * place / self.rollers) for place in range(self.rollers)]
        rollers = [self._roller(f"{self.name}.Roller{number}", frame) for number, frame in enumerate(frames, start=1)]
        if self.level == "contact":
            return Expansion((self._whole(hub, rollers),), (wheel,), one_thing=True)
        axles = [
            JointHinge(
                name=f"{self.name}.Axle{number}",
                body1=roller.name,
                body2=hub,
                axis=_triple(frame[1]),
                anchor_pos=_triple(self._center(frame)),
            )
            for number, (roller, frame) in enumerate(zip(rollers, frames, strict=True), start=1)
        ]
        return Expansion((self._hub(hub), *rollers), (wheel, *axles), one_thing=True)

    def _frame(self, angle: float) -> Array:
        """Outward, along the rim, and along the wheel's axis, seen from a place on the rim; at 0 outward is down."""
        axis = np.array(self.axis) / math.hypot(*self.axis)
        down = np.array((0.0, 0.0, -1.0)) if abs(axis[2]) < 0.9 else np.array((0.0, 1.0, 0.0))
        down = down - product(down, axis) * axis
        down /= length(down)
        outward = math.cos(angle) * down + math.sin(angle) * np.cross(axis, down)
        return np.array([outward, np.cross(axis, outward), axis])

    def _center(self, frame: Array) -> Array:
        """The middle of the roller at that place of the rim."""
        center: Array = np.array(self.anchor_pos) + (self.radius - self.roller_radius) * frame[0]
        return center

    def _widest(self) -> float:
        """Angle from the middle of a roller to its last sphere, seen from the hub [rad]."""
        return math.pi / self.rollers * (1 - 1 / self.facets)

    def _spheres(self) -> list[tuple[float, float]]:
        """Of a roller: where on its axle, and of which radius, so that the wheel's circle touches each of them [m]."""
        distance = self.radius - self.roller_radius
        angles = np.linspace(-self._widest(), self._widest(), self.facets) if self.facets > 1 else [0.0]
        return [(distance * math.tan(angle), self.radius - distance / math.cos(angle)) for angle in angles]

    def _roller(self, name: str, frame: Array) -> BodyDescription:
        volume = sum(size**3 for _, size in self._spheres())
        spheres = tuple(
            Sphere(
                name=f"{name}.{number}",
                position=_triple(self._center(frame) + place * frame[1]),
                mass=self.roller_mass * size**3 / volume,
                material=self.material,
                color=self.color,
                radius=size,
            )
            for number, (place, size) in enumerate(self._spheres(), start=1)
        )
        return BodyDescription(name=name, primitives=spheres, self_collision=False)

    def _whole(self, name: str, rollers: list[BodyDescription]) -> BodyDescription:
        """Hub and rollers as one body, as heavy and as hard to turn as they are together."""
        hub = self._hub(name)
        (disc,) = hub.solids
        rim = RollerRim(
            name=f"{name}.Rim",
            position=self.anchor_pos,
            rotation=disc.rotation,
            material=self.material,
            color=self.color,
            radius=self.radius,
            height=self.width,
            roller_radius=self.roller_radius,
        )
        mass = combined(part.mass_properties() for part in (hub, *rollers))
        ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = mass.inertia.tolist()
        inertia = Inertia(mass=mass.mass, center=_triple(mass.center), ixx=xx, iyy=yy, izz=zz, ixy=xy, ixz=xz, iyz=yz)
        return BodyDescription(name=name, primitives=(disc, rim), inertia=inertia, self_collision=False)

    def _hub(self, name: str) -> BodyDescription:
        frame = self._frame(0.0)
        disc = Cylinder(
            name=f"{name}.Disc",
            position=self.anchor_pos,
            rotation=rotation_to_xyz(frame.T),
            mass=self.mass,
            material=self.hub_material,
            color=self.hub_color,
            radius=self.radius - 1.5 * self.roller_radius,
            height=self.width,
        )
        return BodyDescription(name=name, primitives=(disc,))


def _triple(vector: Array) -> Triple:
    return float(vector[0]), float(vector[1]), float(vector[2])
