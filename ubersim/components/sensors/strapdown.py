"""How a point that is fixed to a body moves, seen from itself: what gyroscopes and accelerometers measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ubersim.components.sensors.base import Mount
from ubersim.geometry import Triple, turned, turned_back

if TYPE_CHECKING:
    from ubersim.physics import Body


class Strapdown:
    """Rate and specific force in a sensor's own frame. Plain numbers: for three of them, arrays take far longer."""

    def __init__(self, mount: Mount) -> None:
        self._body = mount.body
        self._turn = mount.pose.rotation
        self._place = mount.pose.position.tolist()
        self._gravity: Triple = tuple(mount.surroundings.world.gravity.tolist())
        self._step = mount.surroundings.world.step

    @property
    def body(self) -> Body:
        """What carries it."""
        return self._body

    @property
    def numbers(self) -> tuple[float, ...]:
        """Turn, place and gravity, for the native lane."""
        return (*self._turn.ravel().tolist(), *self._place, *self._gravity)

    def rate(self) -> Triple:
        """Angular velocity [rad/s]."""
        return self._seen(tuple(self._body.angular_velocity.tolist()))

    def force(self) -> Triple:
        """Specific force [m/s^2]: acceleration minus gravity, as the last step had it, and as the body lies now.

        A step changes the velocity of the centre of mass by the sum of all forces, so the difference over the step is
        exactly what acted, at the step's beginning or, where motion is smooth, in its middle. What has happened since
        is reckoned to first order: the acceleration has turned with the body, and what bears the weight has not. Of a
        body that nothing holds, all that acts turns with it, for gravity is not felt. The lever arm from the centre of
        mass adds its share: the change of rate, and the centripetal part.
        """
        body, step = self._body, self._step
        before = body.velocities_before().tolist()
        rate: Triple = tuple(body.angular_velocity.tolist())
        arm = turned(body.rotation, self._place)
        acceleration = _difference(body.linear_velocity.tolist(), before[:3], step)
        felt = _triple(part - pull for part, pull in zip(acceleration, self._gravity, strict=True))
        carried = _cross(rate, acceleration if body.supported() else felt)
        tangential = _cross(_difference(rate, before[3:], step), arm)
        centripetal = _cross(rate, _cross(rate, arm))
        parts = zip(felt, carried, tangential, centripetal, strict=True)
        since = body.acceleration_age() * step
        return self._seen(_triple(acting + since * turn + along + inwards for acting, turn, along, inwards in parts))

    def _seen(self, vector: Triple) -> Triple:
        """A vector of the world, along the sensor's own axes."""
        return turned_back(self._turn, turned_back(self._body.rotation, vector))


def _difference(now: Sequence[float], then: Sequence[float], step: float) -> Triple:
    return _triple((after - before) / step for after, before in zip(now, then, strict=True))


def _triple(values: Iterable[float]) -> Triple:
    x, y, z = values
    return x, y, z


def _cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
