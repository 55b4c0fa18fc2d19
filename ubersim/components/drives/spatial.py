"""Any way in space, turning about any axis: for what flies or dives."""

from __future__ import annotations

from ubersim.components.drives.chassis import Chassis
from ubersim.components.drives.controller import MotionController, Velocity, approach
from ubersim.components.drives.fields import acceleration, speed, turn_acceleration, turn_rate
from ubersim.components.native_forms import NativeMotor
from ubersim.description.component import component
from ubersim.description.drives import MotionDescription


@component
class SpatialDrive(MotionDescription):
    """Told by its velocity and its rates in its own axes, which turn along with it; it does not fall.

    The two accelerations bound the change of each part of the velocity and of the rates by itself.
    """

    speed_x: float = speed("to the right", index=("SpeedX", "Sideways"))
    speed_y: float = speed("forward", index=("SpeedY", "Speed"))
    speed_z: float = speed("up", index="SpeedZ")
    pitch_rate: float = turn_rate("turning the nose up, about its x axis", index="PitchRate")
    roll_rate: float = turn_rate("turning the right side down, about its y axis", index="RollRate")
    turn_rate: float = turn_rate("turning to the left, about its z axis")
    acceleration: float = acceleration()
    turn_acceleration: float = turn_acceleration()

    def build(self, chassis: Chassis) -> MotionController:
        return SpatialController(self, chassis)


class SpatialController(MotionController):
    """Follows three speeds and three rates, each by itself."""

    axes = ("right", "forward", "up", "pitch", "roll", "turn")
    speed_x: float
    speed_y: float
    speed_z: float
    pitch_rate: float
    roll_rate: float
    turn_rate: float
    acceleration: float
    turn_acceleration: float

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        speeds = "speed_x", "speed_y", "speed_z", "pitch_rate", "roll_rate", "turn_rate"
        return self.native_motion("SPATIAL", (*speeds, "acceleration", "turn_acceleration"))

    def advance(self) -> tuple[Velocity, Velocity]:
        speeds = self.speed_x, self.speed_y, self.speed_z
        goals = [(goal, self.acceleration) for goal in speeds]
        goals += [(goal, self.turn_acceleration) for goal in (self.pitch_rate, self.roll_rate, self.turn_rate)]
        ways = [approach(now, *goal, self.chassis.step) for now, goal in zip(self.now, goals, strict=True)]
        return tuple(end for end, _ in ways), tuple(mean for _, mean in ways)

    def travel(self, mean: Velocity) -> float:
        right, forward, up, pitch, roll, turn = mean
        return self.chassis.fly((right, forward, up), (pitch, roll, turn))
