"""The last link of every motor: whatever a controller wants, a joint gets no more force and no more speed than this."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis


UNLIMITED_SPEED = 1e6
"""[rad/s or m/s]"""
UNLIMITED_FORCE = 1e9
"""[N m or N]"""
RIGID = 1e9
"""Damping of a motor that holds its speed as well as the physics engine can [N m s/rad or N s/m]."""
LEAST_DAMPING = 1e-12
"""Of a motor whose gains are zero: nothing, but it can be divided by."""
APPROACH = 5.0
"""In how many frames' time what goes to a position would arrive at its speed just before it: it brakes that late."""


class Clamp:
    """One axis of a joint, and the bounds of what its motor does."""

    def __init__(self, axis: DrivenAxis) -> None:
        self.axis = axis
        self.force = UNLIMITED_FORCE
        """The most that the motor exerts [N m or N]."""
        self.speed = UNLIMITED_SPEED
        """The fastest that it goes by its own force [rad/s or m/s]."""
        self.damping = RIGID
        """What it exerts per speed that is missing [N m s/rad or N s/m]."""

    def engage(self) -> None:
        """Makes the bounds those of the joint's own motor."""
        self.axis.strengthen(self.force)
        self.axis.dampen(self.damping)

    def aim(self, speed: float) -> None:
        """Exerts damping * (speed - rate), up to the bounds."""
        fastest = self.speed
        self.axis.aim(fastest if speed > fastest else -fastest if speed < -fastest else speed)

    def reach(self, speed: float) -> None:
        """Exerts damping * (speed - rate), up to the bounds of its force, and that also where it may not go so fast."""
        if abs(speed) > self.speed:
            self.push(self.damping * (speed - self.axis.rate()))
        else:
            self.engage()
            self.axis.aim(speed)

    def push(self, force: float) -> None:
        """Exerts a force, up to the bounds: towards the speed that it may reach, with that much and no more."""
        self.axis.dampen(RIGID)
        self.axis.strengthen(min(abs(force), self.force))
        self.axis.aim(math.copysign(self.speed, force))
