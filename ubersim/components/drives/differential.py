"""Two wheels side by side: forward and backward, turning, never sideways."""

from __future__ import annotations

from collections.abc import Iterator

from ubersim.components.drives.chassis import Chassis
from ubersim.components.drives.controller import MotionController, Velocity, approach
from ubersim.components.drives.fields import FASTEST, acceleration, speed, turn_acceleration, turn_rate
from ubersim.components.native_forms import NativeMotor
from ubersim.description.component import Flaw, component
from ubersim.description.drives import MotionDescription
from ubersim.description.fields import number
from ubersim.protocol.properties import MOTOR_PROPERTIES

_WHEELS = MOTOR_PROPERTIES["LeftWheel"], MOTOR_PROPERTIES["RightWheel"]


@component
class DifferentialDrive(MotionDescription):
    """Told by the rates of its two wheels, or by speed and turn rate, whichever was set last; `Center` is between them.

    speed = radius * (left + right) / 2, turn rate = radius * (right - left) / distance.
    """

    wheel_radius: float = number("of both wheels", unit="m", low=0, above=True, high=100)
    wheel_distance: float = number("from wheel to wheel", unit="m", low=0, above=True, high=1000)
    sideways: float = speed("to the right, which it cannot: so that every drive takes the same twist", index="Sideways")
    speed: float = speed("forward", index="Speed")
    turn_rate: float = turn_rate()
    left_wheel: float = number(
        "of the left wheel, forward", unit="rad/s", low=-FASTEST, high=FASTEST, default=0.0, index="LeftWheel"
    )
    right_wheel: float = number(
        "of the right wheel, forward", unit="rad/s", low=-FASTEST, high=FASTEST, default=0.0, index="RightWheel"
    )
    acceleration: float = acceleration()
    turn_acceleration: float = turn_acceleration()

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if (self.speed or self.turn_rate) and (self.left_wheel or self.right_wheel):
            yield Flaw("give Speed and TurnRate, or LeftWheel and RightWheel, not both", "left_wheel")

    def build(self, chassis: Chassis) -> MotionController:
        return DifferentialController(self, chassis)


class DifferentialController(MotionController):
    """Keeps both ways of telling it the same, and follows speed and turn rate."""

    idle = ("Sideways",)

    speed: float
    sideways: float
    turn_rate: float
    left_wheel: float
    right_wheel: float
    acceleration: float
    turn_acceleration: float

    def __init__(self, description: DifferentialDrive, chassis: Chassis) -> None:
        super().__init__(description, chassis)
        self._radius = description.wheel_radius
        self._distance = description.wheel_distance
        if self.left_wheel or self.right_wheel:
            self._follow_wheels()
        else:
            self._turn_wheels()

    def set(self, number: int, value: float, frame: int) -> None:
        super().set(number, value, frame)
        if number in _WHEELS:
            self._follow_wheels()
        else:
            self._turn_wheels()

    def _follow_wheels(self) -> None:
        self.speed = self._radius * (self.left_wheel + self.right_wheel) / 2
        self.turn_rate = self._radius * (self.right_wheel - self.left_wheel) / self._distance

    def _turn_wheels(self) -> None:
        difference = self.turn_rate * self._distance / 2
        self.left_wheel = (self.speed - difference) / self._radius
        self.right_wheel = (self.speed + difference) / self._radius

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        told = "sideways", "speed", "turn_rate", "left_wheel", "right_wheel", "acceleration", "turn_acceleration"
        return self.native_motion("DIFFERENTIAL", told, (self._radius, self._distance))

    def advance(self) -> tuple[Velocity, Velocity]:
        _, forward, turn = self.now
        step = self.chassis.step
        forward, mean_forward = approach(forward, self.speed, self.acceleration, step)
        turn, mean_turn = approach(turn, self.turn_rate, self.turn_acceleration, step)
        return (0.0, forward, turn), (0.0, mean_forward, mean_turn)
