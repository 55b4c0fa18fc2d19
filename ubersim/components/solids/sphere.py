"""A sphere."""

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
class Sphere(Solid):
    """A solid ball."""

    radius: float = number("radius", unit="m", low=SMALLEST, high=LARGEST)

    def own_mass(self) -> MassProperties:
        return MassProperties(self.mass, np.zeros(3), np.eye(3) * (0.4 * self.mass * self.radius**2))

    def reach(self, direction: Array) -> float:
        return self.radius

    def outline(self) -> Outline:
        return Outline("sphere", (self.radius,))

    def add_to(self, world: World, owner: int, body: Body | None, material: int, frame: Pose) -> Geom:
        pose = frame @ self.pose
        return world.add_sphere(owner, body, material, pose.position, pose.rotation, self.radius)
