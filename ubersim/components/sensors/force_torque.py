"""A load cell of six axes between two bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.base import JointDescription
from ubersim.description.component import component
from ubersim.description.fields import number, reference
from ubersim.errors import WorldError
from ubersim.geometry import product, turned_back
from ubersim.protocol.quantity import vector


@component
class ForceTorqueSensor(Measurement):
    """Measures what a joint does to the body that carries the sensor; `Noise`, `Bias`, `Resolution` are in N.

    The body has to be one of those that the joint connects.
    """

    dtype = "<f4"
    reading = (
        "6 f32: force x y z [N] and torque x y z [N m] of the joint on the body that carries the sensor, in the last "
        "step, about the sensor's place and along its own axes"
    )
    quantities = (*vector("force", "N"), *vector("torque", "N m"))

    joint: str = reference("the joint that is measured", to=JointDescription)
    torque_noise: float = number("`Noise` of the torque", unit="N m", low=0, high=1e6, default=0.0)
    torque_bias: float = number("`Bias` of the torque", unit="N m", low=0, high=1e6, default=0.0)
    torque_resolution: float = number("`Resolution` of the torque", unit="N m", low=0, high=1e6, default=0.0)

    @property
    def shape(self) -> tuple[int, ...]:
        return (6,)

    def build(self, mount: Mount, rng: np.random.Generator) -> LoadCell:
        if mount.body not in mount.joints[self.joint].bodies:
            raise WorldError(f"{self.name}: joint {self.joint!r} does not hold the body that carries the sensor")
        torque = Imperfection(rng, 3, noise=self.torque_noise, bias=self.torque_bias, resolution=self.torque_resolution)
        return LoadCell(mount, self.joint, self.imperfection(rng, 3), torque)


class LoadCell(Device):
    """The device."""

    def __init__(self, mount: Mount, joint: str, force: Imperfection, torque: Imperfection) -> None:
        super().__init__(force, 6)
        self._mount = mount
        self._joint = mount.joints[joint]
        self._joint.enable_feedback()
        self._side = 2 * self._joint.bodies.index(mount.body)
        self._torque = torque
        self._step = mount.surroundings.world.step

    def measure(self) -> list[float]:
        body, pose = self._mount.body, self._mount.pose
        acted = self._joint.feedback()[self._side : self._side + 2]
        # They acted at the step's beginning: both turn with the body to where it is now, to first order.
        force, torque = acted + self._step * np.cross(body.angular_velocity, acted)
        # The engine's torque is about the centre of mass.
        torque = torque - np.cross(product(body.rotation, pose.position), force)
        frame = product(body.rotation, pose.rotation)
        return [*turned_back(frame, force.tolist()), *turned_back(frame, torque.tolist())]

    def report(self, values: Sequence[float]) -> Sequence[float]:
        return *self.imperfection.of_few(values[:3]), *self._torque.of_few(values[3:])
