"""The kinds of joints: what each needs, and which properties its axes have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ubersim.physics.validation import LARGEST
from ubersim.protocol.properties import AXIS_PROPERTIES, NEXT_AXIS, on_axis

_MOTOR = frozenset({"Vel", "FMax", "CFM"})
_SUSPENSION = frozenset({"SuspensionERP", "SuspensionCFM"})
_LIMITED = frozenset(AXIS_PROPERTIES) - _SUSPENSION
_SUSPENDED = _LIMITED | _SUSPENSION

# ODE has LoVel and HiVel between Vel and FMax since 0.13: FMax is 5 there, and what comes after it follows. From one
# axis to the next its numbers grow as the wire's do.
_ODE_NUMBERS = {name: place if place <= 2 else place + 2 for place, name in enumerate(AXIS_PROPERTIES)}
_SHARE, _NOT_NEGATIVE = (0.0, 1.0), (0.0, LARGEST)
_RANGES = {
    "FMax": _NOT_NEGATIVE,
    "FudgeFactor": _SHARE,
    "Bounce": _SHARE,
    "CFM": _NOT_NEGATIVE,
    "StopERP": _SHARE,
    "StopCFM": _NOT_NEGATIVE,
    "SuspensionERP": _SHARE,
    "SuspensionCFM": _NOT_NEGATIVE,
}
_STOPS = ("LoStop", "HiStop")


@dataclass(frozen=True)
class JointKind:
    """What a kind of joint needs, and what it has."""

    number: int
    """Its row in the kernel's table."""
    freedoms: int
    """Ways in which it lets its bodies move against each other."""
    anchored: bool = False
    """Whether it needs an anchor."""
    axes: tuple[int, int] = (0, 0)
    """Smallest and largest number of axes that it is set up with."""
    properties: tuple[frozenset[str], ...] = ()
    """Properties of each axis that can be driven, limited or read, by their names on a first axis."""
    measured: bool = True
    """Whether positions can be read; rates can always."""
    perpendicular: bool = False
    """Whether its first two axes must not be parallel."""
    sliding: tuple[int, ...] = ()
    """Its axes of displacement; the others are of rotation."""

    @property
    def rows(self) -> int:
        """The most rows of constraints that it needs: what it holds together, and each axis's motor and stop."""
        return 6 - self.freedoms + 2 * len(self.properties)


KINDS: Mapping[str, JointKind] = MappingProxyType(
    {
        "ball": JointKind(0, 3, anchored=True),
        "hinge": JointKind(1, 1, anchored=True, axes=(1, 1), properties=(_LIMITED,)),
        "hinge2": JointKind(2, 2, anchored=True, axes=(2, 2), properties=(_SUSPENDED, _MOTOR), perpendicular=True),
        "slider": JointKind(3, 1, axes=(1, 1), properties=(_LIMITED,), sliding=(0,)),
        "universal": JointKind(4, 2, anchored=True, axes=(2, 2), properties=(_LIMITED,) * 2, perpendicular=True),
        "fixed": JointKind(5, 0),
        "amotor": JointKind(6, 6, axes=(1, 3), properties=(_MOTOR,) * 3, measured=False),
        "lmotor": JointKind(7, 6, axes=(1, 3), properties=(_MOTOR,) * 3, measured=False, sliding=(0, 1, 2)),
        "piston": JointKind(8, 2, anchored=True, axes=(1, 1), properties=(_LIMITED,) * 2, sliding=(0,)),
        "pr": JointKind(9, 2, anchored=True, axes=(2, 2), properties=(_LIMITED,) * 2, perpendicular=True, sliding=(0,)),
        "pu": JointKind(
            10, 3, anchored=True, axes=(3, 3), properties=(_LIMITED,) * 3, perpendicular=True, sliding=(2,)
        ),
    }
)
"""The kinds of joints by name."""


@dataclass(frozen=True, slots=True)
class JointProperty:
    """A property of one axis of a joint."""

    name: str
    """As documents and programs call it."""
    number: int
    """On the wire."""
    native: int
    """ODE's own number."""
    low: float
    high: float
    endless: bool
    """Whether it may be infinite: a stop that is none."""


@cache
def properties_of(kind: str, axes: int) -> Mapping[int, JointProperty]:
    """The properties of a joint with so many axes: by their numbers on the wire, and in that order."""
    found = {}
    for axis, names in enumerate(KINDS[kind].properties[:axes]):
        for name in sorted(names, key=AXIS_PROPERTIES.__getitem__):
            number, native = AXIS_PROPERTIES[name] + axis * NEXT_AXIS, _ODE_NUMBERS[name] + axis * NEXT_AXIS
            low, high = _RANGES.get(name, (-LARGEST, LARGEST))
            found[number] = JointProperty(on_axis(name, axis), number, native, low, high, name in _STOPS)
    return MappingProxyType(found)
