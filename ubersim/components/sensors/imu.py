"""An inertial measurement unit: gyroscopes and accelerometers in one case, with the orientation that it works out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.components.sensors.strapdown import Strapdown
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.geometry import length, quaternion_from_matrix
from ubersim.protocol.quantity import vector

Quaternion = tuple[float, float, float, float]


@component
class ImuSensor(Measurement):
    """Measures orientation, angular velocity and specific force.

    `Noise`, `Bias` and `Resolution` are those of the angular velocity [rad/s].
    """

    dtype = "<f4"
    reading = (
        "10 f32: quaternion w x y z that turns its own axes into the world's (q and -q mean the same), angular "
        "velocity x y z [rad/s] as of a GyroSensor, specific force x y z [m/s^2] as of an AccelerometerSensor"
    )
    quantities = (*vector("orientation", "", "wxyz"), *vector("rate", "rad/s"), *vector("force", "m/s^2"))

    force_noise: float = number("`Noise` of the force", unit="m/s^2", low=0, high=1e6, default=0.0)
    force_bias: float = number("`Bias` of the force", unit="m/s^2", low=0, high=1e6, default=0.0)
    force_resolution: float = number("`Resolution` of the force", unit="m/s^2", low=0, high=1e6, default=0.0)
    orientation_noise: float = number(
        "standard deviation of a small turn about each of its axes, anew in every reading",
        unit="rad", low=0, high=1, default=0.0,
    )  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        return (10,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Imu:
        force = Imperfection(rng, 3, noise=self.force_noise, bias=self.force_bias, resolution=self.force_resolution)
        return Imu(mount, self.imperfection(rng, 3), force, Imperfection(rng, 3, noise=self.orientation_noise))


class Imu(Device):
    """The device."""

    def __init__(self, mount: Mount, rate: Imperfection, force: Imperfection, turn: Imperfection) -> None:
        super().__init__(rate, 10)
        self._body = mount.body
        self._mounted: Quaternion = tuple(quaternion_from_matrix(mount.pose.rotation).tolist())
        self._motion = Strapdown(mount)
        self._force = force
        self._turn = turn

    def native(self) -> NativeSensor | None:
        """As the native lane knows it; not with a noise of the orientation."""
        if self._turn.noise:
            return None
        numbers = (*self._motion.numbers, *self._mounted)
        return NativeSensor("IMU", 10, numbers, (self.imperfection, self._force), self._body)

    def measure(self) -> list[float]:
        body: Quaternion = tuple(self._body.quaternion.tolist())
        return [*_product(body, self._mounted), *self._motion.rate(), *self._motion.force()]

    def report(self, values: Sequence[float]) -> Sequence[float]:
        w, x, y, z, *_ = values
        if self._turn.noise:
            right, forward, up = self._turn.of_few((0.0, 0.0, 0.0))
            small = np.array((1.0, right / 2, forward / 2, up / 2))
            small /= length(small)
            w, x, y, z = _product((w, x, y, z), tuple(small.tolist()))
        return w, x, y, z, *self.imperfection.of_few(values[4:7]), *self._force.of_few(values[7:])


def _product(p: Quaternion, q: Quaternion) -> Quaternion:
    """The turn q, then the turn p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )
