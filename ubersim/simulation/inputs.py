"""What a simulation is given: files, texts or descriptions, all of which become descriptions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from ubersim.description import (
    Materials,
    RobotDescription,
    WorldDescription,
    default_materials,
    default_world,
    load_materials,
    load_world,
    read_robot,
)
from ubersim.description.parse_context import RESERVED
from ubersim.description.value_types import NAME_PATTERN
from ubersim.errors import UberSimError
from ubersim.geometry import Triple

RobotInput = str | Path | RobotDescription
"""A file, the XML document itself, or what was read before."""
WorldInput = str | Path | WorldDescription | None
"""A file, what was read before, or an empty ground."""
MaterialsInput = str | Path | Materials | None
"""A file, what was read before, or the shipped ones."""


def materials_from(given: MaterialsInput, seed: int = 0) -> Materials:
    """The materials that were given; `seed` is that of the numbers that a file wants drawn, here and below."""
    if given is None:
        return default_materials()
    return given if isinstance(given, Materials) else load_materials(given, seed=seed)


def world_from(given: WorldInput, materials: Materials, seed: int = 0) -> WorldDescription:
    """The world that was given."""
    if given is None:
        return default_world()
    return given if isinstance(given, WorldDescription) else load_world(given, materials=materials, seed=seed)


def robot_from(given: RobotInput, materials: Materials, seed: int = 0, name: str | None = None) -> RobotDescription:
    """The robot that was given."""
    if isinstance(given, RobotDescription):
        return given
    if isinstance(given, str) and given.lstrip().startswith("<"):
        return read_robot(given, materials=materials, seed=seed, name=name)
    from ubersim.importers import load_robot  # not above: a server's robots come as documents

    return load_robot(given, materials=materials, seed=seed, name=name)


def check_name(name: str) -> None:
    """Refuses what a document could not have as a robot's name."""
    if not re.fullmatch(NAME_PATTERN, name) or name in RESERVED:
        raise UberSimError(f"{name!r} is no robot's name: that has 1 to 64 of A-Z a-z 0-9 _ . - and is not reserved")


def triple(given: Sequence[float], what: str) -> Triple:
    """Three finite numbers, refused by name if they are not that."""
    try:
        x, y, z = map(float, given)
    except (TypeError, ValueError):
        raise UberSimError(f"{what} is three numbers, x, y and z, not {given!r}") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise UberSimError(f"{what} has to be finite, not {given!r}")
    return x, y, z
