"""What all motion models share: the velocity that they have, and the way to the one that they should have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

from ubersim.components.drives.chassis import Chassis
from ubersim.components.motors.controller import Controller
from ubersim.description.drives import MotionDescription

Velocity = tuple[float, float, float]
"""To the right and forward [m/s], and turning to the left [rad/s]."""
V = TypeVar("V", float, complex)

INSTANT = 1e9
"""An acceleration that is no bound."""


class MotionController(Controller, ABC):
    """Moves a chassis in every frame, until it is at rest. Properties of its description are its attributes."""

    memory = ("now", "moved_in")

    def __init__(self, description: MotionDescription, chassis: Chassis) -> None:
        super().__init__(description)
        self.chassis = chassis
        self.now: Velocity = (0.0, 0.0, 0.0)
        """The velocity that it has at the beginning of the frame."""
        self.moved_in = -1
        """The last frame in which it moved."""

    @abstractmethod
    def advance(self) -> tuple[Velocity, Velocity]:
        """The velocity at the end of this frame's step, and its mean during the step."""

    def step(self, frame: int) -> bool:
        if frame == self.moved_in:  # a step that failed is taken again, but the velocity changes only once
            return True
        self.now, mean = self.advance()
        self.chassis.move(*mean)
        self.moved_in = frame
        return any(mean) or any(self.now)


def approach(now: V, goal: V, acceleration: float, step: float) -> tuple[V, V]:
    """From one velocity towards another, straight: the one at the end of a step, and the mean during the step."""
    gap = abs(goal - now)
    most = acceleration * step
    if acceleration >= INSTANT or gap == 0.0:
        return goal, goal
    if gap <= most:  # it arrives within the step, and goes on with the goal's velocity
        return goal, goal + (now - goal) * (0.5 * gap / most)
    change = (goal - now) * (most / gap)
    return now + change, now + 0.5 * change
