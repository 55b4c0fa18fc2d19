"""A kicker: a plate on a slider that shoots forward once, comes back, and needs time before it can do so again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ubersim.components.joints.properties import FASTEST, STRONGEST
from ubersim.components.motors.clamp import Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.motors.fields import EFFORT, RATE
from ubersim.components.native_forms import NativeMotor
from ubersim.description.base import JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.description.motors import AxisMotor
from ubersim.timing.latency import NEVER, frames_in

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import DrivenAxis, Joint

READY, SHOOTING, RETURNING = 0, 1, 2
PATIENCE = 1.0
"""What has not moved out of the way by then will not do so any more: the plate returns [s]."""


@component
class Kicker(AxisMotor):
    """Shoots body 1 of its joint forward along the axis and back; a kick that comes before it is recharged is lost."""

    kick: float = number(
        "kicks at the moment it is set, at this share of `Speed`", low=0, high=1, default=0.0, index="Kick"
    )
    stroke: float = number("how far it shoots", unit="m or rad", low=0, above=True, high=10)
    speed: float = number("of the plate at a full kick", unit=RATE, low=0, above=True, high=FASTEST)
    force: float = number("the most that it exerts", unit=EFFORT, low=0, above=True, high=STRONGEST)
    return_speed: float = number("of the way back", unit=RATE, low=0, above=True, high=FASTEST, default=0.5)
    recharge: float = number("time from a kick to the next that is possible", unit="s", low=0, high=1e4, default=1.0)

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        return KickController(self, joints[self.joint].driven_axis(self.axis - 1), step)


class KickController(Controller):
    """Ready, then shooting, then returning. Between kicks it holds the plate and has nothing to do."""

    memory = ("phase", "shot_at")
    kick: float

    def __init__(self, description: Kicker, axis: DrivenAxis, step: float) -> None:
        super().__init__(description)
        self.phase = READY
        self.shot_at = -NEVER
        """The frame of the last kick."""
        self._about = description
        self._position = axis.position
        self._clamp = Clamp(axis)
        self._clamp.force = description.force
        self._recharge = frames_in(1e3 * description.recharge, step)
        self._patience = frames_in(1e3 * PATIENCE, step)
        # Close enough to the end of its way: what it covers in one frame.
        self._near = description.return_speed * step

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        about = self._about
        motion = about.stroke, about.speed, about.return_speed, about.force, self._near
        constants = (*motion, self._recharge, self._patience)
        return NativeMotor("KICK", ("kick",), self._clamp.axis, self.memory, constants=constants)

    def set(self, number: int, value: float, frame: int) -> None:
        if self.phase == READY and frame >= self.shot_at + self._recharge and value > 0:
            super().set(number, value, frame)
            self.phase, self.shot_at = SHOOTING, frame

    def engage(self) -> None:
        self._clamp.engage()
        self._clamp.aim(self.kick * self._about.speed if self.phase == SHOOTING else 0.0)

    def step(self, frame: int) -> bool:
        if self.phase == READY:
            return False
        position = self._position()
        if self.phase == SHOOTING and (position >= self._about.stroke or frame > self.shot_at + self._patience):
            self.phase = RETURNING
            self._clamp.aim(-self._about.return_speed)
        elif self.phase == RETURNING and position <= self._near:
            self.phase = READY
            self._clamp.aim(0.0)
        return self.phase != READY
