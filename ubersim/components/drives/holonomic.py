"""Any way at any time: forward, sideways and turning, each by itself."""

from __future__ import annotations

from ubersim.components.drives.chassis import Chassis
from ubersim.components.drives.controller import MotionController, Velocity, approach
from ubersim.components.drives.fields import acceleration, speed, turn_acceleration, turn_rate
from ubersim.components.native_forms import NativeMotor
from ubersim.description.component import component
from ubersim.description.drives import MotionDescription


@component
class HolonomicDrive(MotionDescription):
    """Told by its velocity in its own axes; `Acceleration` bounds the change of that vector, whatever its direction."""

    speed_x: float = speed("to the right", index=("SpeedX", "Sideways"))
    speed_y: float = speed("forward", index=("SpeedY", "Speed"))
    turn_rate: float = turn_rate()
    acceleration: float = acceleration()
    turn_acceleration: float = turn_acceleration()

    def build(self, chassis: Chassis) -> MotionController:
        return HolonomicController(self, chassis)


class HolonomicController(MotionController):
    """Follows the velocity that it is told, a vector, on the straight way."""

    speed_x: float
    speed_y: float
    turn_rate: float
    acceleration: float
    turn_acceleration: float

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        told = "speed_x", "speed_y", "turn_rate", "acceleration", "turn_acceleration"
        return self.native_motion("HOLONOMIC", told)

    def advance(self) -> tuple[Velocity, Velocity]:
        right, forward, turn = self.now
        step = self.chassis.step
        goal = complex(self.speed_x, self.speed_y)
        planar, mean = approach(complex(right, forward), goal, self.acceleration, step)
        turn, mean_turn = approach(turn, self.turn_rate, self.turn_acceleration, step)
        return (planar.real, planar.imag, turn), (mean.real, mean.imag, mean_turn)
