"""Mass, centre and inertia of a body as its document gives them, where they are known better than solids tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ubersim.description.base import FARTHEST, HEAVIEST, LIGHTEST
from ubersim.description.component import Component, Flaw, component
from ubersim.description.fields import number, vector
from ubersim.description.mass import MassProperties
from ubersim.geometry import Array, Triple

LARGEST_MOMENT = 1e12
"""[kg m^2]"""
ROUNDING = 1e-6
"""By how much of itself the largest moment may exceed the others' sum: a flat plate, written with few digits."""


@component
class Inertia(Component):
    """What a body weighs, instead of what its solids do; the tensor is about `Center`, in the axes of model space."""

    mass: float = number("mass of the whole body", unit="kg", low=LIGHTEST, high=HEAVIEST)
    center: Triple = vector("centre of mass, in model space", unit="m", high=FARTHEST)
    ixx: float = number("moment about x", unit="kg m^2", low=0, above=True, high=LARGEST_MOMENT)
    iyy: float = number("moment about y", unit="kg m^2", low=0, above=True, high=LARGEST_MOMENT)
    izz: float = number("moment about z", unit="kg m^2", low=0, above=True, high=LARGEST_MOMENT)
    ixy: float = number("product of x and y", unit="kg m^2", low=-LARGEST_MOMENT, high=LARGEST_MOMENT, default=0.0)
    ixz: float = number("product of x and z", unit="kg m^2", low=-LARGEST_MOMENT, high=LARGEST_MOMENT, default=0.0)
    iyz: float = number("product of y and z", unit="kg m^2", low=-LARGEST_MOMENT, high=LARGEST_MOMENT, default=0.0)

    @property
    def tensor(self) -> Array:
        """The inertia tensor, 3x3 [kg m^2]."""
        return np.array(
            [[self.ixx, self.ixy, self.ixz], [self.ixy, self.iyy, self.iyz], [self.ixz, self.iyz, self.izz]]
        )

    def mass_properties(self) -> MassProperties:
        """The same as dynamics wants it."""
        return MassProperties(self.mass, np.array(self.center), self.tensor)

    def flaws(self) -> Iterator[Flaw]:
        if trouble := unphysical(self.tensor):
            yield Flaw(trouble)


def unphysical(tensor: Array) -> str:
    """Why no body has such an inertia; empty if one may."""
    low, middle, high = (float(moment) for moment in np.linalg.eigvalsh(tensor))
    found = f"the principal moments are {low:.4g}, {middle:.4g} and {high:.4g} kg m^2"
    if low <= 0:
        return f"{found}; each has to be above 0"
    if high > (low + middle) * (1 + ROUNDING):
        return f"{found}; the largest cannot exceed the sum of the others, {low + middle:.4g}"
    return ""
