"""Fields that several motors have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ubersim.components.joints.properties import FASTEST, STRONGEST
from ubersim.components.motors.clamp import UNLIMITED_FORCE, UNLIMITED_SPEED
from ubersim.description.fields import number

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis

EFFORT = "N m or N"
RATE = "rad/s or m/s"
PLACE = "deg or m"
STEEPEST = 1e9
"""Largest gain."""


def torque_limit(default: Any = UNLIMITED_FORCE) -> Any:
    """The bound of what a motor exerts."""
    return number("the most that it exerts", unit=EFFORT, low=0, high=STRONGEST, default=default, index="TorqueLimit")


def speed_limit() -> Any:
    """The bound of a motor's own speed."""
    return number(
        "the fastest that it drives",
        unit=RATE,
        low=0,
        above=True,
        high=FASTEST,
        default=UNLIMITED_SPEED,
        index="SpeedLimit",
    )


def in_si(place: float, axis: DrivenAxis) -> float:
    """A position as documents write it, in degrees where the axis turns, as the axis has it."""
    return place if axis.slides else math.radians(place)


def error_of(axis: DrivenAxis) -> Callable[[float, float], float]:
    """How far it is from a position to a target: the short way round, where an axis turns without stops."""
    if axis.turns_freely():
        turn = math.tau
        return lambda target, position: math.remainder(target - position, turn)
    return lambda target, position: target - position
