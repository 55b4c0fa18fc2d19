"""A joint as far as its properties go: they carry the wire's numbers, and are checked and translated to ODE's here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import ArrayLike

from ubersim.errors import WorldError
from ubersim.physics import validation
from ubersim.physics._ode import FINE, lib, text
from ubersim.physics.body import Body
from ubersim.physics.joint_kinds import KINDS, JointProperty, properties_of
from ubersim.protocol.properties import AXIS_PROPERTIES

STOPS = (AXIS_PROPERTIES["LoStop"], AXIS_PROPERTIES["HiStop"])
"""Of the first axis."""


class JointWorld(Protocol):
    """What a joint needs of the world that it is in."""

    handle: Any

    def add_joint(
        self,
        owner: int,
        kind: str,
        body1: Body | None,
        body2: Body | None,
        *,
        anchor: ArrayLike | None = None,
        axes: Sequence[ArrayLike] = (),
    ) -> SettableJoint:
        """Adds another joint."""


class SettableJoint:
    """Who it is, what it connects, and its properties."""

    def __init__(
        self,
        world: JointWorld,
        owner: int,
        kind: str,
        bodies: tuple[Body | None, Body | None],
        axes: int,
        handle: Any,
    ) -> None:
        self.world = world
        """The world it is in."""
        self.owner = owner
        """To whom it belongs."""
        self.kind = kind
        """Its name in `KINDS`."""
        self.bodies = bodies
        """What it connects; None is the static world."""
        self.axes = axes
        """How many axes it has that can be driven or read."""
        self.handle = handle
        """The kernel's joint; None once it is removed."""
        self.zero = 0.0
        """What its first axis reads where it was made [rad or m]; its stops count from the same origin."""
        self._properties = properties_of(kind, axes)
        self.properties: Mapping[str, int] = {found.name: number for number, found in self._properties.items()}
        """Names and numbers on the wire of all properties of all axes."""

    @property
    def measured(self) -> bool:
        """Whether it has positions; motors have only rates."""
        return KINDS[self.kind].measured

    def set(self, number: int, value: float) -> None:
        """Sets a property by its number on the wire [SI]."""
        native = self.check(number, value)
        if self.zero and number in STOPS:
            value -= self.zero
        if lib.joint_set(self.world.handle, self.handle, native, value) != FINE:
            raise WorldError(f"{self.kind}: {text(lib.kernel_message(self.world.handle))}")

    def resist(self, damping: float, friction: float, armature: float) -> None:
        """What a hinge or slider does against all motion [N m s/rad, N m, kg m^2; or N s/m, N, kg]."""
        self.check_alive()
        for what, value in (("damping", damping), ("friction", friction), ("armature", armature)):
            validation.number(f"{self.kind} {what}", value, 0.0, validation.LARGEST)
        lib.joint_resist(self.handle, damping, friction, armature)

    def get(self, number: int) -> float:
        """A property by its number on the wire [SI]."""
        value = float(lib.joint_get(self.handle, self._known(number).native))
        return value + self.zero if self.zero and number in STOPS else value

    def check(self, number: int, value: float) -> int:
        """Refuses what `set` would refuse, without setting it; returns the kernel's own number of the property."""
        about = self._known(number)
        if not (about.low <= value <= about.high or (about.endless and math.isinf(value))):
            validation.number(f"{self.kind} {about.name}", value, about.low, about.high)  # has the words for it
        return about.native

    def about(self, number: int) -> JointProperty:
        """A property by its number on the wire: its name, its range, the kernel's own number."""
        return self._known(number)

    def native_number(self, name: str) -> int:
        """The number under which the kernel knows a property, for those who set it in every step."""
        return self._known(self.properties[name]).native

    def values(self) -> list[float]:
        """All properties of all axes, for snapshots."""
        self.check_alive()
        return [float(lib.joint_get(self.handle, about.native)) for about in self._properties.values()]

    def set_values(self, values: list[float]) -> None:
        """The opposite of `values`."""
        self.check_alive()
        for about, value in zip(self._properties.values(), values, strict=True):
            lib.joint_set(self.world.handle, self.handle, about.native, value)

    def check_alive(self) -> None:
        """Refuses what can be done to joints of the world only."""
        if self.handle is None:
            raise WorldError(f"this {self.kind} joint was removed")

    def _known(self, number: int) -> JointProperty:
        self.check_alive()
        found = self._properties.get(number)
        if found is None:
            known = ", ".join(f"{name} {number:#x}" for name, number in self.properties.items()) or "none"
            raise WorldError(f"a joint of kind {self.kind} has no property {number:#x}; it has {known}")
        return found
