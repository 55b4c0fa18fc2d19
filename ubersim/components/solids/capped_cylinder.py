"""A cylinder with a hemisphere on either end."""

from __future__ import annotations

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
class CappedCylinder(Solid):
    """A capsule along its z axis, with its origin in its middle."""

    radius: float = number("radius of the cylinder and of its caps", unit="m", low=SMALLEST, high=LARGEST)
    height: float = number("length of the cylinder, without the caps", unit="m", low=SMALLEST, high=LARGEST)

    def own_mass(self) -> MassProperties:
        radius, height = self.radius, self.height
        # Constant density: the volumes, without the common factor pi r^2, share out the mass.
        barrel = self.mass * height / (height + 4 / 3 * radius)
        caps = self.mass - barrel
        along = barrel * radius**2 / 2 + caps * 0.4 * radius**2
        # Each cap's centre of mass is 3/8 r beyond the barrel's end, which is h/2 from the middle.
        across = barrel * (radius**2 / 4 + height**2 / 12) + caps * (
            0.4 * radius**2 + height**2 / 4 + 3 / 8 * height * radius
        )
        return MassProperties(self.mass, np.zeros(3), np.diag([across, across, along]))

    def reach(self, direction: Array) -> float:
        return self.radius + abs(float(direction[2])) * self.height / 2

    def outline(self) -> Outline:
        return Outline("capsule", (self.radius, self.height))

    def add_to(self, world: World, owner: int, body: Body | None, material: int, frame: Pose) -> Geom:
        pose = frame @ self.pose
        return world.add_capsule(owner, body, material, pose.position, pose.rotation, self.radius, self.height)
