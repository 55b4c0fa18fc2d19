"""One axis of a joint, as a motor sees it: read and driven in every step, so with nothing in between.

The physics engine's own motor is a soft constraint: towards `speed` it exerts (speed - rate) * damping, but never more
than `force`. The rate in this formula is that at the end of the step, so that no damping, however large, can make the
motion unstable.
"""

from __future__ import annotations

import math

import numpy as np

from ubersim.errors import WorldError
from ubersim.physics._ode import doubles, lib
from ubersim.physics.joint_kinds import KINDS
from ubersim.physics.joint_settings import SettableJoint
from ubersim.protocol.properties import on_axis


class DrivenAxis:
    """Position, rate, and what drives them. Nothing is checked here: motors have bounds of their own."""

    def __init__(self, joint: SettableJoint, axis: int) -> None:
        kind = KINDS[joint.kind]
        if not (0 <= axis < joint.axes and "FMax" in kind.properties[axis]):
            raise WorldError(f"a joint of kind {joint.kind} has no motor on axis {axis + 1}")
        self.joint = joint
        self.axis = axis
        self.slides = axis in kind.sliding
        """Whether it is an axis of displacement; else it is one of rotation."""
        self.measured = kind.measured
        """Whether its position can be read."""
        # Beyond the kernel's own numbers there is nothing to look up in a step.
        self._vel, self._fmax, self._cfm = (joint.native_number(on_axis(name, axis)) for name in ("Vel", "FMax", "CFM"))
        self._world = joint.world.handle
        self._zero = 0.0 if axis else joint.zero

    @property
    def native(self) -> tuple[int, int, int, float]:
        """The kernel's own numbers of Vel, FMax and CFM, and where its position is zero, for the native lane."""
        return self._vel, self._fmax, self._cfm, self._zero

    def position(self) -> float:
        """Angle [rad] or displacement [m], as the joint counts it."""
        measured: float = lib.joint_position(self.joint.handle, self.axis)
        return measured + self._zero if self._zero else measured

    def rate(self) -> float:
        """Rate of `position` [rad/s or m/s]."""
        return lib.joint_rate(self.joint.handle, self.axis)  # type: ignore[no-any-return]

    def aim(self, speed: float) -> None:
        """The speed that the motor aims at [rad/s or m/s]."""
        lib.joint_set(self._world, self.joint.handle, self._vel, speed)

    def strengthen(self, force: float) -> None:
        """The most that it exerts [N m or N]."""
        lib.joint_set(self._world, self.joint.handle, self._fmax, force)

    def dampen(self, damping: float) -> None:
        """What it exerts per speed that is missing [N m s/rad or N s/m]; infinite: whatever it takes."""
        lib.joint_set(self._world, self.joint.handle, self._cfm, 1.0 / damping)

    def turns_freely(self) -> bool:
        """Whether it turns without stops, so that angles a whole turn apart are the same to it."""
        if self.slides:
            return False
        low, high = (self.joint.properties.get(on_axis(name, self.axis)) for name in ("LoStop", "HiStop"))
        if low is None or high is None:
            return True
        return self.joint.get(low) - self._zero <= -math.pi and self.joint.get(high) - self._zero >= math.pi

    def add_friction(self, torque: float) -> None:
        """Dry friction about the axis from now on: a motor of its own that aims at standstill [N m]."""
        if self.slides:
            raise WorldError("dry friction is for axes that turn")
        joint, direction = self.joint, np.empty(3)
        lib.joint_axis(joint.handle, self.axis, doubles(direction))
        # A joint's first axis is fixed to its first body, the second to its second.
        holder, other = joint.bodies if self.axis == 0 else joint.bodies[::-1]
        brake = joint.world.add_joint(joint.owner, "amotor", holder, other, axes=[direction])
        brake.set(brake.properties["FMax"], torque)
