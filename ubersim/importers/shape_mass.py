"""What shapes would weigh, for links whose file says nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ubersim.components.solids.box import Box
from ubersim.components.solids.capped_cylinder import CappedCylinder
from ubersim.components.solids.cylinder import Cylinder
from ubersim.components.solids.sphere import Sphere
from ubersim.description.base import Solid
from ubersim.description.mass import MassProperties
from ubersim.importers.model import LinkShape

DENSITY = 1000.0
"""That of water [kg/m^3], as MuJoCo takes it."""
LEAST = 1e-4
"""Smallest size that solids may have [m]."""


def mass_of(shape: LinkShape) -> MassProperties:
    """At the density of water; a mesh weighs what its box would, filled to a half."""
    common: dict[str, Any] = {"name": "shape", "position": (0.0, 0.0, 0.0)}
    size = tuple(max(part, LEAST) for part in shape.size)
    solid: Solid
    if shape.kind == "box":
        solid = Box(**common, mass=DENSITY * math.prod(size), x_size=size[0], y_size=size[1], z_size=size[2])
    elif shape.kind == "sphere":
        solid = Sphere(**common, mass=DENSITY * 4 / 3 * math.pi * size[0] ** 3, radius=size[0])
    elif shape.kind == "cylinder":
        solid = Cylinder(**common, mass=DENSITY * math.pi * size[0] ** 2 * size[1], radius=size[0], height=size[1])
    elif shape.kind == "capsule":
        volume = math.pi * size[0] ** 2 * (size[1] + 4 / 3 * size[0])
        solid = CappedCylinder(**common, mass=DENSITY * volume, radius=size[0], height=size[1])
    else:
        corners = np.concatenate([mesh.vertices for mesh in shape.meshes])
        low, high = corners.min(axis=0), corners.max(axis=0)
        x, y, z = np.maximum(high - low, LEAST)
        box = Box(**common, mass=DENSITY / 2 * float(x * y * z), x_size=float(x), y_size=float(y), z_size=float(z))
        own = box.own_mass()
        return MassProperties(own.mass, (low + high) / 2, own.inertia).seen_from(shape.pose)
    return solid.own_mass().seen_from(shape.pose)
