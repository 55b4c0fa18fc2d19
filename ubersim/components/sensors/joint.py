"""What a joint's own encoder, tachometer and motor current tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.base import FARTHEST, JointDescription
from ubersim.description.component import component
from ubersim.description.fields import integer, number, reference, vector
from ubersim.errors import WorldError
from ubersim.geometry import Triple
from ubersim.protocol.quantity import Quantities, Quantity

ORIGIN = (0.0, 0.0, 0.0)


@component
class JointSensor(Measurement):
    """Measures one axis of a joint; `Noise`, `Bias` and `Resolution` are those of the position [rad or m]."""

    dtype = "<f4"
    reading = (
        "3 f32: position since the joint was made (angle [rad], from -pi to pi, or extension [m]; not a number for "
        "motors, which have none), its rate [rad/s or m/s], and what motor and stops exerted in the last step "
        "[N m or N]; signs are those of `Vel`"
    )
    quantities = (Quantity("position", "rad or m"), Quantity("rate", "rad/s or m/s"), Quantity("effort", "N m or N"))

    position: Triple = vector(
        "where it is, for the reader; it measures the joint", unit="m", high=FARTHEST, default=ORIGIN
    )
    joint: str = reference("the joint that is measured", to=JointDescription)
    axis: int = integer("which of the joint's axes", low=1, high=3, default=1)
    rate_noise: float = number("`Noise` of the rate", unit="rad/s or m/s", low=0, high=1e6, default=0.0)
    effort_noise: float = number("`Noise` of torque or force", unit="N m or N", low=0, high=1e6, default=0.0)

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def quantities_on(self, joints: Mapping[str, JointDescription]) -> Quantities:
        units = joints[self.joint].units(self.axis - 1)
        return tuple(Quantity(each.name, unit) for each, unit in zip(self.quantities, units, strict=True))

    def build(self, mount: Mount, rng: np.random.Generator) -> JointMeter:
        axes = mount.joints[self.joint].axes
        if self.axis > axes:
            raise WorldError(f"{self.name}: joint {self.joint!r} has no axis {self.axis} to measure; it has {axes}")
        others = Imperfection(rng, noise=self.rate_noise), Imperfection(rng, noise=self.effort_noise)
        return JointMeter(mount, self, self.imperfection(rng), *others)


class JointMeter(Device):
    """The device."""

    def __init__(
        self, mount: Mount, sensor: JointSensor, position: Imperfection, rate: Imperfection, effort: Imperfection
    ) -> None:
        super().__init__(position, 3)
        self._joint = mount.joints[sensor.joint]
        self._joint.enable_feedback()
        self._axis = sensor.axis - 1
        self._rate, self._effort = rate, effort

    def native(self) -> NativeSensor | None:
        """As the native lane knows it; not with noise of rate or effort."""
        if self._rate.noise or self._effort.noise:
            return None
        joint = self._joint
        numbers = joint.zero, float(joint.measured)
        return NativeSensor("AXIS", 3, numbers, (self.imperfection,), joint=joint, axis=self._axis)

    def measure(self) -> tuple[float, float, float]:
        joint, axis = self._joint, self._axis
        return joint.position(axis) if joint.measured else nan, joint.rate(axis), joint.effort(axis)

    def report(self, values: Sequence[float]) -> Sequence[float]:
        position, rate, effort = values
        return (
            *self.imperfection.of_few((position,)),
            *self._rate.of_few((rate,)),
            *self._effort.of_few((effort,)),
        )
