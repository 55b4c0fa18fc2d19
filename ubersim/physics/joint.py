"""Joints and their properties, which carry the wire's numbers and are translated to ODE's here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.physics import validation
from ubersim.physics._ode import FINE, doubles, lib, text

if TYPE_CHECKING:
    from ubersim.physics.body import Body
    from ubersim.physics.contents import WorldContents
    from ubersim.physics.driven_axis import DrivenAxis

PROPERTIES = (
    "LoStop", "HiStop", "Vel", "FMax", "FudgeFactor", "Bounce", "CFM", "StopERP", "StopCFM",
    "SuspensionERP", "SuspensionCFM",
)  # fmt: skip
"""Names of a joint's properties; a name's place is its number on the wire."""
AXIS = 0x100
"""What is added to a property's number for each further axis."""

# ODE 0.13 put LoVel and HiVel between Vel and FMax.
_ODE_NUMBERS = (0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12)

_MOTOR = frozenset({2, 3, 6})
_LIMITED = frozenset(range(9))
_SUSPENDED = frozenset(range(11))
_SHARES, _SOFTNESSES = (4, 5, 7, 9), (6, 8, 10)
_RANGES: Mapping[int, tuple[float, float]] = MappingProxyType(
    {3: (0.0, validation.LARGEST)}
    | dict.fromkeys(_SHARES, (0.0, 1.0))
    | dict.fromkeys(_SOFTNESSES, (0.0, validation.LARGEST))
)


@dataclass(frozen=True)
class JointKind:
    """What a kind of joint needs, and what it has."""

    number: int
    """Its row in the kernel's table."""
    anchored: bool = False
    """Whether it needs an anchor."""
    axes: tuple[int, int] = (0, 0)
    """Smallest and largest number of axes that it is set up with."""
    properties: tuple[frozenset[int], ...] = ()
    """Properties of each axis that can be driven, limited or read."""
    measured: bool = True
    """Whether positions can be read; rates can always."""
    perpendicular: bool = False
    """Whether its first two axes must not be parallel."""


KINDS: Mapping[str, JointKind] = MappingProxyType(
    {
        "ball": JointKind(0, anchored=True),
        "hinge": JointKind(1, anchored=True, axes=(1, 1), properties=(_LIMITED,)),
        "hinge2": JointKind(2, anchored=True, axes=(2, 2), properties=(_SUSPENDED, _MOTOR), perpendicular=True),
        "slider": JointKind(3, axes=(1, 1), properties=(_LIMITED,)),
        "universal": JointKind(4, anchored=True, axes=(2, 2), properties=(_LIMITED, _LIMITED), perpendicular=True),
        "fixed": JointKind(5),
        "amotor": JointKind(6, axes=(1, 3), properties=(_MOTOR,) * 3, measured=False),
        "lmotor": JointKind(7, axes=(1, 3), properties=(_MOTOR,) * 3, measured=False),
        "piston": JointKind(8, anchored=True, axes=(1, 1), properties=(_LIMITED, _LIMITED)),
        "pr": JointKind(9, anchored=True, axes=(2, 2), properties=(_LIMITED, _LIMITED), perpendicular=True),
        "pu": JointKind(10, anchored=True, axes=(3, 3), properties=(_LIMITED, _LIMITED, _LIMITED), perpendicular=True),
    }
)
"""The kinds of joints by name."""


@dataclass(eq=False)
class Joint:
    """A joint of the world. Signs are ODE's: a positive rate moves the first body relative to the second."""

    world: WorldContents
    """The world it is in."""
    owner: int
    """To whom it belongs."""
    kind: str
    """Its name in `KINDS`."""
    bodies: tuple[Body | None, Body | None]
    """What it connects; None is the static world."""
    axes: int
    """How many axes it has that can be driven or read."""
    handle: Any = field(repr=False)
    """The kernel's joint; None once it is removed."""

    def set(self, property: int, value: float) -> None:
        """Sets a property by its number on the wire [SI]."""
        number = self._ode_number(property)
        value = self._checked(property, value)
        if lib.joint_set(self.world.handle, self.handle, number, value) != FINE:
            raise WorldError(f"{self.kind}: {text(lib.kernel_message(self.world.handle))}")

    @property
    def properties(self) -> list[int]:
        """Numbers of all properties of all axes, as on the wire."""
        kinds = KINDS[self.kind].properties[: self.axes]
        return [axis * AXIS + number for axis, numbers in enumerate(kinds) for number in sorted(numbers)]

    def driven_axis(self, axis: int) -> DrivenAxis:
        """An axis as a motor sees it."""
        from ubersim.physics.driven_axis import DrivenAxis  # which is made of joints itself

        return DrivenAxis(self, axis)

    def native_number(self, property: int) -> int:
        """The number under which the kernel knows a property, for those who set it in every step."""
        return self._ode_number(property)

    def check(self, property: int, value: float) -> None:
        """Refuses what `set` would refuse, without setting it."""
        self._ode_number(property)
        self._checked(property, value)

    def get(self, property: int) -> float:
        """A property by its number on the wire [SI]."""
        return float(lib.joint_get(self.handle, self._ode_number(property)))

    @property
    def measured(self) -> bool:
        """Whether it has positions; motors have only rates."""
        return KINDS[self.kind].measured

    def position(self, axis: int = 0) -> float:
        """Angle [rad] or displacement [m] since the joint was made."""
        self._check_axis(axis)
        if not self.measured:
            raise WorldError(f"a joint of kind {self.kind} measures no position, only rates")
        return float(lib.joint_position(self.handle, axis))

    def rate(self, axis: int = 0) -> float:
        """Rate of `position` [rad/s or m/s]."""
        self._check_axis(axis)
        return float(lib.joint_rate(self.handle, axis))

    def axis(self, axis: int = 0) -> Array:
        """The direction of an axis now, in the world."""
        self._check_axis(axis)
        direction = np.empty(3)
        lib.joint_axis(self.handle, axis, doubles(direction))
        return direction

    def effort(self, axis: int = 0) -> float:
        """What motor and stops did to the first body in the last step, along an axis [N] or about it [N m].

        Needs `enable_feedback`; where a joint has several axes, they have to be perpendicular.
        """
        self._check_axis(axis)
        return float(lib.joint_effort(self.handle, axis))

    def enable_feedback(self) -> None:
        """From the next step on, the joint's forces are kept for `feedback`."""
        self._check_alive()
        lib.joint_enable_feedback(self.handle)

    def feedback(self) -> Array:
        """What the joint did in the last step: force [N] and torque [N m] on the first body, then on the second."""
        self._check_alive()
        rows = np.empty((4, 3))
        if lib.joint_feedback(self.handle, doubles(rows)) != FINE:
            raise WorldError("this joint's feedback was never enabled")
        return rows

    def values(self) -> list[float]:
        """All properties of all axes, for snapshots."""
        return [self.get(number) for number in self.properties]

    def set_values(self, values: list[float]) -> None:
        """The opposite of `values`."""
        for number, value in zip(self.properties, values, strict=True):
            lib.joint_set(self.world.handle, self.handle, self._ode_number(number), value)

    def _ode_number(self, property: int) -> int:
        self._check_alive()
        axis, number = divmod(property, AXIS)
        if not (0 <= axis < self.axes and number in KINDS[self.kind].properties[axis]):
            raise WorldError(f"a joint of kind {self.kind} has no property {property:#x}; it has {self._known()}")
        return axis * AXIS + _ODE_NUMBERS[number]

    def _known(self) -> str:
        names = [f"{PROPERTIES[n % AXIS]}{n // AXIS + 1 if n >= AXIS else ''} {n:#x}" for n in self.properties]
        return ", ".join(names) or "none"

    def _checked(self, property: int, value: float) -> float:
        number = property % AXIS
        name = f"{self.kind} {PROPERTIES[number]}"
        if number in (0, 1) and value in (float("inf"), float("-inf")):
            return value
        low, high = _RANGES.get(number, (-validation.LARGEST, validation.LARGEST))
        return validation.number(name, value, low, high)

    def _check_axis(self, axis: int) -> None:
        self._check_alive()
        if not 0 <= axis < self.axes:
            raise WorldError(f"a joint of kind {self.kind} has {self.axes} axes, there is no axis {axis}")

    def _check_alive(self) -> None:
        if self.handle is None:
            raise WorldError(f"this {self.kind} joint was removed")
