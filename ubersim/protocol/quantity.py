"""What the values of a reading are: their names and units, in the order in which they stand in it.

A reading has a quantity for each of its values; a list has them for each of its rows; where all values are of one kind,
such as the distances of a scan, there is only that one. Names have groups: `force` is `force.x`, `force.y`, `force.z`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value of a reading."""

    name: str
    """What programs, plots and tables call it."""
    unit: str = ""
    """In which it is given; empty for numbers that have none."""

    def __str__(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


Quantities = tuple[Quantity, ...]


def vector(name: str, unit: str = "", parts: Iterable[str] = "xyz") -> Quantities:
    """A group of quantities: `force.x`, `force.y`, `force.z`; without a name, `x`, `y`, `z`."""
    return tuple(Quantity(f"{name}.{part}" if name else part, unit) for part in parts)


POSE = (
    *vector("", "m"),
    *vector("", "", ("qw", "qx", "qy", "qz")),
    *vector("", "m/s", ("vx", "vy", "vz")),
    *vector("", "rad/s", ("wx", "wy", "wz")),
)
"""Position, quaternion, velocity and angular velocity of a body, in world axes."""


def to_plain(quantities: Quantities) -> list[list[str]]:
    """As JSON has them."""
    return [[quantity.name, quantity.unit] for quantity in quantities]


def from_plain(plain: Iterable[Sequence[str]]) -> Quantities:
    """The opposite of `to_plain`."""
    return tuple(Quantity(str(name), str(unit)) for name, unit in plain)


def of_each(quantities: Quantities, count: int) -> Quantities:
    """The quantity of each of so many values; those that have no name of their own are numbered."""
    if len(quantities) == count:
        return quantities
    if not quantities and count == 1:
        return (Quantity("value"),)
    rows = [f"{number}." for number in range(count // len(quantities))] if len(quantities) > 1 else []
    if len(rows) * len(quantities) == count:
        return tuple(Quantity(row + each.name, each.unit) for row in rows for each in quantities)
    unit = quantities[0].unit if len(quantities) == 1 else ""
    return tuple(Quantity(str(number), unit) for number in range(count))


def places(quantities: Quantities, wanted: str) -> list[int]:
    """Where a quantity, or all of a group, stand."""
    exact = [place for place, each in enumerate(quantities) if each.name == wanted]
    return exact or [place for place, each in enumerate(quantities) if each.name.startswith(f"{wanted}.")]


def part_objection(sensor: str, quantities: Quantities, wanted: str) -> str:
    """Why something is no part of a sensor's readings; empty if it is a quantity of them, or a group."""
    if places(quantities, wanted):
        return ""
    known = ", ".join(each.name for each in quantities) or "no names"
    return f"the readings of {sensor} have no {wanted!r}; they have {known}"


def part_of(
    reading: NDArray[Any], quantities: Quantities, wanted: str, *, listed: bool = False
) -> float | NDArray[Any] | None:
    """A quantity as a number, a group as an array; None if there is no such part.

    Of lists, which have as many rows as they happen to have, it is a column of them.
    """
    found = places(quantities, wanted)
    single = len(found) == 1 and quantities[found[0]].name == wanted
    if not found:
        return None
    if listed:
        rows = reading.reshape(-1, len(quantities))
        return np.ascontiguousarray(rows[:, found[0]]) if single else rows[:, found]
    if reading.size != len(quantities):  # all of its values are this
        return reading
    flat = reading.ravel()
    return float(flat[found[0]]) if single else flat[found]


def split(path: str, sensors: Collection[str]) -> tuple[str, str]:
    """`Imu.force.x` -> the sensor `Imu`, and `force.x`; sensors' names may have dots themselves."""
    if path in sensors:
        return path, ""
    name, dot, part = path.rpartition(".")
    while dot and name not in sensors:
        name, dot, more = name.rpartition(".")
        part = f"{more}.{part}"
    return (name, part) if dot else (path, "")
