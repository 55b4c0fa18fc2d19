"""A box."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ubersim.description.base import LARGEST, SMALLEST, Outline, Solid
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.mass import MassProperties
from ubersim.geometry import Array, Pose, product

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Body, Geom, World


@component
class Box(Solid):
    """A rectangular prism, with its origin in its middle."""

    x_size: float = number("extent along its x axis", tag="XSize", unit="m", low=SMALLEST, high=LARGEST)
    y_size: float = number("extent along its y axis", tag="YSize", unit="m", low=SMALLEST, high=LARGEST)
    z_size: float = number("extent along its z axis", tag="ZSize", unit="m", low=SMALLEST, high=LARGEST)

    @property
    def size(self) -> tuple[float, float, float]:
        """The three extents [m]."""
        return self.x_size, self.y_size, self.z_size

    def own_mass(self) -> MassProperties:
        squares = np.square(self.size)
        return MassProperties(self.mass, np.zeros(3), np.diag(self.mass / 12 * (squares.sum() - squares)))

    def reach(self, direction: Array) -> float:
        return float(product(np.abs(direction), self.size)) / 2

    def outline(self) -> Outline:
        return Outline("box", self.size)

    def add_to(self, world: World, owner: int, body: Body | None, material: int, frame: Pose) -> Geom:
        pose = frame @ self.pose
        return world.add_box(owner, body, material, pose.position, pose.rotation, self.size)
