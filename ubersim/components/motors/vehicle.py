"""A car: four wheels on Hinge-2 joints, the front ones steered as Ackermann has it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from ubersim.components.joints.hinge2 import JointHinge2
from ubersim.components.joints.properties import FASTEST, STRONGEST
from ubersim.components.motors.clamp import APPROACH, Clamp
from ubersim.components.motors.controller import Controller
from ubersim.components.native_forms import NativeMotor, NativeWheel
from ubersim.description.base import JointDescription
from ubersim.description.component import Flaw, component
from ubersim.description.fields import angle, choice, number, reference
from ubersim.description.motors import MotorDescription
from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.protocol.properties import MOTOR_PROPERTIES

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Joint

_STEERING, _CURVATURE = MOTOR_PROPERTIES["Steering"], MOTOR_PROPERTIES["Curvature"]
_TURN = MOTOR_PROPERTIES["Turn"]


@component
class Vehicle(MotorDescription):
    """Drives a car by speed and steering; all wheels turn about one centre on the rear axle's line, so that none slips.

    Its four joints are `JointHinge2`, with the first axis up and the second across; forward is +y. `Speed` is that of
    the middle of the rear axle. Positive steering is to the left. `Turn` steers so that the car turns that fast at
    its `Speed`; standing, the wheels swing all the way to that side.
    """

    front_left: str = reference("a joint of a steered wheel", to=JointDescription)
    front_right: str = reference("a joint of a steered wheel", to=JointDescription)
    rear_left: str = reference("a joint of a wheel that goes straight", to=JointDescription)
    rear_right: str = reference("a joint of a wheel that goes straight", to=JointDescription)
    wheel_radius: float = number("of all wheels", unit="m", low=0, above=True, high=100)
    speed: float = number("forward", unit="m/s", low=-FASTEST, high=FASTEST, default=0.0, index="Speed")
    steering: float = angle(
        "of a wheel in the middle between the front ones; rad at run time",
        low=-80,
        high=80,
        default=0.0,
        index="Steering",
    )
    curvature: float = number(
        "1 / radius of the rear axle's middle; sets the steering",
        unit="1/m",
        low=-1e3,
        high=1e3,
        default=0.0,
        index="Curvature",
    )
    turn: float = number(
        "turning to the left; sets the steering, as fast as the car is told to go",
        unit="rad/s",
        low=-FASTEST,
        high=FASTEST,
        default=0.0,
        index="Turn",
    )
    sideways: float = number(
        "to the right, which it cannot: so that every drive takes the same twist",
        unit="m/s",
        low=-FASTEST,
        high=FASTEST,
        default=0.0,
        index="Sideways",
    )
    steering_limit: float = angle("largest steering", low=0, high=80, default=math.radians(40))
    steering_speed: float = number(
        "how fast the front wheels swing", unit="rad/s", low=0, above=True, high=1e3, default=5.0
    )
    steering_torque: float = number("the most that steers a wheel", unit="N m", low=0, high=STRONGEST)
    drive_torque: float = number("the most that drives a wheel", unit="N m", low=0, high=STRONGEST)
    drive: Literal["front", "rear", "all"] = choice("which wheels are driven", "front", "rear", "all", default="rear")

    @property
    def wheels(self) -> tuple[str, str, str, str]:
        """The joints: front left, front right, rear left, rear right."""
        return self.front_left, self.front_right, self.rear_left, self.rear_right

    @property
    def powered(self) -> tuple[str, ...]:
        """The joints of driven wheels."""
        return {"front": self.wheels[:2], "rear": self.wheels[2:], "all": self.wheels}[self.drive]

    def driven(self) -> Iterable[tuple[str, int]]:
        return [*((wheel, 0) for wheel in self.wheels), *((wheel, 1) for wheel in self.powered)]

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if len(set(self.wheels)) < 4:
            yield Flaw("a joint is named twice; there are four wheels")
        if sum(map(bool, (self.steering, self.curvature, self.turn))) > 1:
            yield Flaw("give one of Steering, Curvature and Turn", "curvature")

    def build(self, joints: Mapping[str, Joint], described: Mapping[str, JointDescription], step: float) -> Controller:
        found = []
        for name in self.wheels:
            about = described[name]
            if not isinstance(about, JointHinge2):
                raise WorldError(
                    f"{self.name}: joint {name!r} is a {about.tag}; a wheel of a Vehicle needs a JointHinge2"
                )
            found.append(DrivenWheel(about, joints[name], name in self.powered))
        return VehicleController(self, found, step)


class DrivenWheel:
    """One wheel: where it is, and the clamps of its two axes."""

    def __init__(self, about: JointHinge2, joint: Joint, powered: bool) -> None:
        self.place = np.array(about.anchor_pos)
        self.swing = Clamp(joint.driven_axis(0))
        self.roll = Clamp(joint.driven_axis(1)) if powered else None
        # A positive rate turns the vehicle against the wheel, hence the signs: left about +z, forward about -x.
        self._left = -math.copysign(1.0, about.axis1[2])
        self._forward = math.copysign(1.0, about.axis2[0])
        self.angle = 0.0
        """Where the joint should stand [rad]."""
        self.speed = 0.0
        """How fast it should roll, as the joint counts [m/s]."""

    def seen_from(self, origin: Array) -> tuple[float, float]:
        """Where it is, to the right and ahead of a point [m]."""
        return float(self.place[0] - origin[0]), float(self.place[1] - origin[1])

    def native(self, origin: Array) -> NativeWheel:
        """As the native lane knows it."""
        numbers = (*self.seen_from(origin), self._left, self._forward)
        return NativeWheel(numbers, None if self.roll is None else self.roll.axis, self.swing.axis)

    def follow(self, curvature: float, origin: Array, speed: float) -> None:
        """Takes its course about the centre of a curve; `origin` is the middle of the rear axle."""
        right, ahead = self.seen_from(origin)
        along, across = 1.0 + curvature * right, curvature * ahead
        self.angle = self._left * math.atan2(across, along)
        # Not hypot, whose last bit depends on the version of Python.
        self.speed = self._forward * math.sqrt(along * along + across * across) * speed

    def engage(self, radius: float) -> None:
        """Sets the motors of both axes to work."""
        self.swing.engage()
        if self.roll is not None:
            self.roll.engage()
            self.roll.aim(self.speed / radius)


class VehicleController(Controller):
    """Steers four wheels in every frame, and sets their speeds when commanded."""

    idle = ("Sideways",)
    memory = ("bend", "twisted")
    speed: float
    steering: float
    curvature: float
    turn: float

    def __init__(self, description: Vehicle, wheels: list[DrivenWheel], step: float) -> None:
        super().__init__(description)
        self._about = description
        self._wheels = wheels
        front = (wheels[0].place + wheels[1].place) / 2
        self._rear = (wheels[2].place + wheels[3].place) / 2
        self._wheelbase = float(front[1] - self._rear[1])
        if self._wheelbase <= 0:
            raise WorldError(f"{description.name}: the front wheels are not in front of the rear wheels (+y)")
        self._tightest = math.tan(description.steering_limit) / self._wheelbase
        self._haste = 1.0 / (APPROACH * step)
        self.bend = description.curvature or math.tan(description.steering) / self._wheelbase
        """The curvature that was commanded last, one way or the other [1/m]."""
        self.twisted = bool(description.turn)
        """Whether it was `Turn` that was commanded last; then the curvature follows from it and the speed."""
        for wheel in wheels:
            wheel.swing.force, wheel.swing.speed = description.steering_torque, description.steering_speed
            if wheel.roll is not None:
                wheel.roll.force = description.drive_torque

    def native(self) -> NativeMotor:
        """As the native lane knows it."""
        about = self._about
        shape = self._tightest, self._wheelbase, about.wheel_radius, self._haste
        constants = (*shape, about.steering_torque, about.steering_speed, about.drive_torque)
        attributes = ("speed", "steering", "curvature", "turn", "sideways")
        wheels = [wheel.native(self._rear) for wheel in self._wheels]
        return NativeMotor("VEHICLE", attributes, memory=self.memory, constants=constants, wheels=wheels)

    def set(self, number: int, value: float, frame: int) -> None:
        super().set(number, value, frame)
        if number == _STEERING:
            self.bend, self.twisted = math.tan(value) / self._wheelbase, False
        elif number == _CURVATURE:
            self.bend, self.twisted = value, False
        elif number == _TURN:
            self.twisted = True

    def prepare(self) -> None:
        tightest = self._tightest
        if self.twisted:
            self.bend = self.turn / self.speed if self.speed else math.copysign(tightest, self.turn) * bool(self.turn)
        curvature = min(max(self.bend, -tightest), tightest)
        for wheel in self._wheels:
            wheel.follow(curvature, self._rear, self.speed)

    def engage(self) -> None:
        for wheel in self._wheels:
            wheel.engage(self._about.wheel_radius)

    def step(self, frame: int) -> bool:
        haste = self._haste
        for wheel in self._wheels:
            wheel.swing.aim(haste * (wheel.angle - wheel.swing.axis.position()))
        return True
