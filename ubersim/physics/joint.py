"""Joints: set by their properties, measured along their axes."""

from __future__ import annotations

import numpy as np

from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.physics._ode import FINE, doubles, lib
from ubersim.physics.driven_axis import DrivenAxis
from ubersim.physics.joint_settings import SettableJoint


class Joint(SettableJoint):
    """A joint of the world. Signs are ODE's: a positive rate moves the first body relative to the second."""

    def driven_axis(self, axis: int) -> DrivenAxis:
        """An axis as a motor sees it."""
        return DrivenAxis(self, axis)

    def position(self, axis: int = 0) -> float:
        """Angle [rad] or displacement [m], from where the joint was made or, on its first axis, from `zero`."""
        self._check_axis(axis)
        if not self.measured:
            raise WorldError(f"a joint of kind {self.kind} measures no position, only rates")
        measured = float(lib.joint_position(self.handle, axis))
        return measured + self.zero if self.zero and axis == 0 else measured

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
        self.check_alive()
        lib.joint_enable_feedback(self.handle)

    def feedback(self) -> Array:
        """What the joint did in the last step: force [N] and torque [N m] on the first body, then on the second."""
        self.check_alive()
        rows = np.empty((4, 3))
        if lib.joint_feedback(self.handle, doubles(rows)) != FINE:
            raise WorldError("this joint's feedback was never enabled")
        return rows

    def _check_axis(self, axis: int) -> None:
        self.check_alive()
        if not 0 <= axis < self.axes:
            raise WorldError(f"a joint of kind {self.kind} has {self.axes} axes, there is no axis {axis}")
