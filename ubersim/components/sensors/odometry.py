"""Dead reckoning: from the turns of wheels, or from how a robot is moved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.components.sensors.wheel_counting import BodyMotion, Counting, OmniWheels, TwoWheels, WheelCounting
from ubersim.description.base import JointDescription
from ubersim.description.component import Flaw, component
from ubersim.description.fields import flag, integer, number, reference, references
from ubersim.errors import WorldError
from ubersim.protocol.quantity import Quantities, Quantity

if TYPE_CHECKING:
    from ubersim.physics import Joint

PLACE = (Quantity("x", "m"), Quantity("y", "m"), Quantity("heading", "rad"))
TWIST = (Quantity("sideways", "m/s"), Quantity("speed", "m/s"), Quantity("turn", "rad/s"))


@component
class OdometrySensor(Measurement):
    """Adds up the way of a robot from its wheels' joints alone: where they slip, it errs.

    Two driven wheels (`LeftWheel`, `RightWheel`, `Track`; also a car's rear ones), or three omni wheels or more
    (`Wheels`). Without wheels it adds up how its body goes in the plane, for robots with a `Motion`. `Noise`, `Bias`
    and `Resolution` are those of the wheels' encoders [rad], or of that way [m and rad]. Between two readings the
    speeds are taken to keep their ratio; at 50 Hz and more that hardly matters.
    """

    dtype = "<f4"
    reading = (
        "3 f32: x, y [m] and heading [rad, to the left, not wrapped] since the robot joined, seen from where the "
        "sensor was then: x to its right, y forward; with `Velocities` 3 more: how fast it went since its last "
        "reading, to the right and forward [m/s], and turning to the left [rad/s]"
    )
    quantities = (*PLACE, *TWIST)

    left_wheel: str | None = reference("joint of the left wheel", to=JointDescription, default=None)
    right_wheel: str | None = reference("joint of the right wheel", to=JointDescription, default=None)
    wheels: tuple[str, ...] = references(
        "joints of omni wheels, instead of a left and a right one", to=JointDescription, least=3, most=16, default=()
    )
    wheel_axis: int = integer("axis of the joints about which the wheels turn", low=1, high=3, default=1)
    wheel_radius: float | None = number("radius of the wheels", unit="m", low=1e-4, high=100, default=None)
    track: float | None = number("distance between the two wheels", unit="m", low=1e-4, high=100, default=None)
    velocities: bool = flag("whether it tells how fast it goes, too", default=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return (6,) if self.velocities else (3,)

    def quantities_on(self, joints: Mapping[str, Any]) -> Quantities:
        return self.quantities if self.velocities else PLACE

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        pair = (self.left_wheel, self.right_wheel)
        if any(pair) and not all(pair):
            yield Flaw("LeftWheel and RightWheel go together")
        if any(pair) and self.wheels:
            yield Flaw("give LeftWheel and RightWheel, or Wheels, not both", "wheels")
        if (any(pair) or self.wheels) and self.wheel_radius is None:
            yield Flaw("WheelRadius is missing (radius of the wheels)")
        if any(pair) and self.track is None:
            yield Flaw("Track is missing (distance between the two wheels)")

    def build(self, mount: Mount, rng: np.random.Generator) -> Odometer:
        counting = self._counting(mount)
        return Odometer(mount, counting, self.imperfection(rng, counting.size), self.velocities)

    def _counting(self, mount: Mount) -> Counting:
        if self.left_wheel is not None and self.right_wheel is not None:
            assert self.wheel_radius is not None and self.track is not None  # see `flaws`
            pair = self._joints(mount, (self.left_wheel, self.right_wheel))
            return TwoWheels(mount, pair, self.wheel_axis - 1, self.wheel_radius, self.track)
        if self.wheels:
            assert self.wheel_radius is not None
            try:
                return OmniWheels(mount, self._joints(mount, self.wheels), self.wheel_axis - 1, self.wheel_radius)
            except WorldError as error:
                raise WorldError(f"{self.name}: {error}") from None
        return BodyMotion(mount)

    def _joints(self, mount: Mount, names: Sequence[str]) -> list[Joint]:
        for name in names:
            joint = mount.joints[name]
            if self.wheel_axis > joint.axes or not joint.measured:
                raise WorldError(f"{self.name}: joint {name!r} has no angle about an axis {self.wheel_axis}")
        return [mount.joints[name] for name in names]


class Odometer(Device):
    """The device."""

    def __init__(self, mount: Mount, counting: Counting, encoders: Imperfection, velocities: bool) -> None:
        super().__init__(encoders, 6 if velocities else 3)
        self._there = mount.surroundings
        self._counting, self._velocities = counting, velocities
        self._frame = self._there.frame
        self._pose = [0.0, 0.0, 0.0]
        self._twist = [0.0, 0.0, 0.0]
        self._ticks = self._encoders(0.0)

    def measure(self) -> list[float]:
        seconds = (self._there.frame - self._frame) * self._there.world.step
        self._frame = self._there.frame
        before, self._ticks = self._ticks, self._encoders(seconds)
        way = self._counting.way([now - then for now, then in zip(self._ticks, before, strict=True)])
        if seconds:
            self._twist = [part / seconds for part in way]
        self._go(*way)
        return [*self._pose, *self._twist] if self._velocities else self._pose

    def report(self, values: Sequence[float]) -> Sequence[float]:
        return values  # the errors are in the encoders already, and in all that follows from them

    def native(self) -> NativeSensor | None:
        """As the native lane knows it."""
        counting, values = self._counting, 6 if self._velocities else 3
        if isinstance(counting, BodyMotion):
            mount = counting.mount
            return NativeSensor("PATH", values, mount.numbers(), (self.imperfection,), body=mount.body, memory=self)
        assert isinstance(counting, WheelCounting)
        wheels = counting.wheels
        constants = [wheel.sense for wheel in wheels] + [wheel.joint.zero for wheel in wheels] + counting.solution
        return NativeSensor(
            "WAY",
            values,
            (counting.radius, counting.track),
            (self.imperfection,),
            axis=wheels[0].axis,
            wheels=[wheel.joint for wheel in wheels],
            constants=constants,
            memory=self,
        )

    def remembered(self) -> list[float]:
        """What the next reading depends on, in the order of the native lane."""
        counted = [number for row in self._counting.state() for number in row]
        return [float(self._frame), *self._pose, *self._twist, *self._ticks, *counted]

    def remember(self, numbers: list[float]) -> None:
        """Goes on from there."""
        count, width = self._counting.size, self._counting.width
        self._frame, self._pose, self._twist = int(numbers[0]), numbers[1:4], numbers[4:7]
        self._ticks, counted = numbers[7 : 7 + count], numbers[7 + count :]
        self._counting.restore([counted[start : start + width] for start in range(0, len(counted), width)])

    def _encoders(self, seconds: float) -> list[float]:
        return list(self.imperfection.of_few(self._counting.update(seconds)))

    def _go(self, right: float, forward: float, turn: float) -> None:
        """Along an arc."""
        x, y, heading = self._pose
        shorter = math.sin(turn / 2) / (turn / 2) if turn else 1.0
        across, along, middle = right * shorter, forward * shorter, heading + turn / 2
        x += across * math.cos(middle) - along * math.sin(middle)
        y += across * math.sin(middle) + along * math.cos(middle)
        self._pose = [x, y, heading + turn]

    def state(self) -> dict[str, Any]:
        own = {"pose": self._pose, "twist": self._twist, "ticks": self._ticks, "frame": self._frame}
        return super().state() | own | {"wheels": self._counting.state()}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._pose, self._ticks, self._frame = list(state["pose"]), list(state["ticks"]), state["frame"]
        self._twist = list(state.get("twist", (0.0, 0.0, 0.0)))
        self._counting.restore(state["wheels"])
