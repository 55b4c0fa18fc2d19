"""A rim of small rollers as one solid: it grips along the rim, and gives way along its axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ubersim.components.solids.cylinder import Cylinder
from ubersim.description.base import LARGEST, SMALLEST
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.geometry import Pose

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Body, Geom, World


@component
class RollerRim(Cylinder):
    """A cylinder that stands on rollers: what it touches, it touches in one point.

    Friction acts along the rim as the materials say. Along the axis there is but the rollers' rolling resistance: the
    materials' `rolling` divided by the radius of a roller is its coefficient.
    """

    roller_radius: float = number("radius of a roller", unit="m", low=SMALLEST, high=LARGEST)

    def add_to(self, world: World, owner: int, body: Body | None, material: int, frame: Pose) -> Geom:
        geom = super().add_to(world, owner, body, material, frame)
        geom.set_rollers(self.roller_radius)
        return geom
