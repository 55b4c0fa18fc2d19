"""A cylinder with flat ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ubersim.description.base import LARGEST, SMALLEST, Outline, Solid
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.mass import MassProperties
from ubersim.geometry import Array, Pose

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Body, Geom, World


@component
class Cylinder(Solid):
    """A cylinder along its z axis, with its origin in its middle."""

    radius: float = number("radius", unit="m", low=SMALLEST, high=LARGEST)
    height: float = number("length along its z axis", unit="m", low=SMALLEST, high=LARGEST)

    def own_mass(self) -> MassProperties:
        along = self.mass * self.radius**2 / 2
        across = self.mass * (self.radius**2 / 4 + self.height**2 / 12)
        return MassProperties(self.mass, np.zeros(3), np.diag([across, across, along]))

    def reach(self, direction: Array) -> float:
        return self.radius * math.hypot(direction[0], direction[1]) + abs(float(direction[2])) * self.height / 2

    def outline(self) -> Outline:
        return Outline("cylinder", (self.radius, self.height))

    def add_to(self, world: World, owner: int, body: Body | None, material: int, frame: Pose) -> Geom:
        pose = frame @ self.pose
        return world.add_cylinder(owner, body, material, pose.position, pose.rotation, self.radius, self.height)
