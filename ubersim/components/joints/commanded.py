"""A joint as commands see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ubersim.components.commandable import Commandable
from ubersim.components.native_forms import NativeTarget
from ubersim.description.base import JointDescription
from ubersim.errors import RemoteProtocolError, WorldError
from ubersim.protocol.properties import AXIS_PROPERTIES, NEXT_AXIS

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Joint

_STOPS = AXIS_PROPERTIES["LoStop"], AXIS_PROPERTIES["HiStop"]


class CommandedJoint(Commandable):
    """Its properties are those that the physics engine's joint has, within the limits that documents have.

    Stops may lie anywhere: at or beyond half a turn there is none, as there is none where the lower is above the upper.
    """

    def __init__(self, description: JointDescription, joint: Joint) -> None:
        super().__init__(description, joint.properties)
        self._joint = joint

    def check(self, number: int, value: float) -> None:
        if number in self.description.limits and number % NEXT_AXIS not in _STOPS:
            return super().check(number, value)
        try:
            self._joint.check(number, value)
        except WorldError as error:
            raise RemoteProtocolError(f"{self.name}: {error}") from None

    def native_target(self, number: int) -> NativeTarget | None:
        about, stops = self._joint.about(number), number % NEXT_AXIS in _STOPS
        low, high = about.low, about.high
        if number in self.description.limits and not stops:
            least, most = self.description.limits[number]
            low, high = max(low, least), min(high, most)
        zero = self._joint.zero if number in _STOPS else 0.0
        return NativeTarget(self._joint, about.native, low, high, zero)

    def set(self, number: int, value: float, frame: int) -> None:
        self._joint.set(number, value)
