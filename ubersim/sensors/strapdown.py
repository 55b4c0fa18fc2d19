"""How a point that is fixed to a body moves, seen from itself: what gyroscopes and accelerometers measure."""

from __future__ import annotations

import numpy as np

from ubersim.pose import Array
from ubersim.sensors.base import Mount


class Strapdown:
    """Rate and specific force in a sensor's own frame."""

    def __init__(self, mount: Mount) -> None:
        self._body = mount.body
        self._turn = mount.pose.rotation
        self._place = mount.pose.position
        self._gravity = mount.surroundings.world.gravity
        self._step = mount.surroundings.world.step

    def frame(self) -> Array:
        """The sensor's axes in the world, as columns."""
        axes: Array = self._body.rotation @ self._turn
        return axes

    def rate(self) -> Array:
        """Angular velocity [rad/s]."""
        rate: Array = self._body.angular_velocity @ self.frame()
        return rate

    def force(self) -> Array:
        """Specific force [m/s^2]: acceleration minus gravity, the mean over the last step.

        A step changes the velocity of the centre of mass by the sum of all forces, so the difference over the step is
        exactly what acted. The forces are those of the step's beginning: the turn since then is undone, to first
        order. The lever arm from the centre of mass adds its share: the change of rate, and the centripetal part.
        """
        body, step = self._body, self._step
        before = body.velocities_before()
        rate = body.angular_velocity
        spin = _cross(rate)
        central = (body.linear_velocity - before[:3]) / step - self._gravity
        central = central + step * (spin @ central)
        arm = body.rotation @ self._place
        force: Array = (central + _cross((rate - before[3:]) / step) @ arm + spin @ (spin @ arm)) @ self.frame()
        return force


def _cross(vector: Array) -> Array:
    """The matrix that does what a cross product with the vector does; numpy's own function takes ten times as long."""
    x, y, z = vector.tolist()
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
