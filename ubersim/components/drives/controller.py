"""What all motion models share: the velocity that they have, and the way to the one that they should have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from ubersim.components.drives.chassis import Chassis
from ubersim.components.motors.controller import Controller
from ubersim.components.native_forms import MotorKind, NativeMotor
from ubersim.description.drives import MotionDescription

Velocity = tuple[float, ...]
"""In the plane: to the right and forward [m/s], and turning to the left [rad/s]."""
V = TypeVar("V", float, complex)

INSTANT = 1e9
"""An acceleration that is no bound."""


class MotionController(Controller, ABC):
    """Moves a chassis in every frame, until it is at rest. Properties of its description are its attributes."""

    memory: ClassVar[tuple[str, ...]] = ("now", "moved", "blocked")

    def __init__(self, description: MotionDescription, chassis: Chassis) -> None:
        super().__init__(description)
        self.chassis = chassis
        self.now: Velocity = (0.0,) * len(self.axes)
        """The velocity that it has at the beginning of the frame."""
        self.moved: Velocity = self.now
        """The mean velocity that it had in the last frame in which it moved, or tried to."""
        self.blocked = False
        """Whether something was in its way then that did not give way."""

    axes: tuple[str, ...] = ("right", "forward", "turn")
    """What its velocities are along, and about."""

    @abstractmethod
    def advance(self) -> tuple[Velocity, Velocity]:
        """The velocity at the end of this frame's step, and its mean during the step."""

    def native_motion(self, kind: MotorKind, told: Sequence[str], constants: Sequence[float] = ()) -> NativeMotor:
        """As the native lane knows it: of this kind, with what commands set and what they do not."""
        return NativeMotor(kind, told, memory=self.memory, constants=constants, chassis=self.chassis)

    def travel(self, mean: Velocity) -> float:
        """Moves the chassis; returns the share of the way that is free."""
        right, forward, turn = mean
        return self.chassis.move(right, forward, turn)

    def step(self, frame: int) -> bool:
        self.now, mean = self.advance()
        share = self.travel(mean)
        self.blocked = share < 1.0
        self.moved = mean
        if self.blocked:  # it has to gather speed anew
            self.now, self.moved = _scaled(self.now, share), _scaled(mean, share)
        return any(mean) or any(self.now)

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.now, self.moved = tuple(self.now), tuple(self.moved)


def _scaled(velocity: Velocity, share: float) -> Velocity:
    return tuple(share * part for part in velocity)


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
