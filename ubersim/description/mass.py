"""Mass, centre of mass and inertia tensor, of one solid and of many together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ubersim.geometry import Array, Pose, product


@dataclass(frozen=True)
class MassProperties:
    """What dynamics has to know about a rigid body."""

    mass: float
    """[kg]"""
    center: Array
    """Centre of mass [m]."""
    inertia: Array
    """Inertia tensor about the centre of mass, 3x3 [kg m^2]."""

    def seen_from(self, pose: Pose) -> MassProperties:
        """The same in the frame that sees this one at `pose`."""
        inertia = product(product(pose.rotation, self.inertia), pose.rotation.T)
        return MassProperties(self.mass, pose.apply(self.center), inertia)


def combined(parts: Iterable[MassProperties]) -> MassProperties:
    """The union of parts given in one frame; overlaps count twice, as two solids in one place weigh twice."""
    parts = list(parts)
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center for part in parts), start=np.zeros(3)) / mass
    # About the common centre at once: going over the origin would cancel digits of a body that is far from it.
    inertia = sum(
        (part.inertia + part.mass * _of_point(part.center - center) for part in parts), start=np.zeros((3, 3))
    )
    return MassProperties(mass, center, (inertia + inertia.T) / 2)


def _of_point(offset: Array) -> Array:
    """Inertia tensor of a unit point mass (Huygens and Steiner's term)."""
    tensor: Array = product(offset, offset) * np.eye(3) - np.outer(offset, offset)
    return tensor
