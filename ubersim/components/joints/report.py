"""A joint that reports about itself."""

from __future__ import annotations

import struct
from math import nan
from typing import TYPE_CHECKING, Any

from ubersim.components.native_forms import NativeSensor
from ubersim.description.base import JointDescription
from ubersim.description.readings import JointReport

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Joint


class JointReporter:
    """The device: it measures without error; a `JointSensor` has noise, and the effort."""

    def __init__(self, joint: Joint) -> None:
        self._joint = joint
        self._pack = struct.Struct(f"<{2 * joint.axes}f").pack

    def sample(self) -> bytes:
        """The reading now."""
        joint = self._joint
        values: list[float] = []
        for axis in range(joint.axes):
            values += (joint.position(axis) if joint.measured else nan, joint.rate(axis))
        return self._pack(*values)

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        joint = self._joint
        return NativeSensor("REPORT", 2 * joint.axes, (joint.zero, float(joint.measured)), joint=joint, axis=joint.axes)

    def set(self, number: int, value: float) -> None:
        """There is nothing to set."""

    def state(self) -> dict[str, Any]:
        """It remembers nothing."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to go on from."""


def reporting(description: JointDescription, joint: Joint) -> tuple[JointReport, JointReporter] | None:
    """The report that a joint's document asks for, and the device; None: it asks for none."""
    if description.report is None:
        return None
    units = tuple(description.units(axis) for axis in range(joint.axes))
    return description.report.about(description.name, description.tag, units), JointReporter(joint)
