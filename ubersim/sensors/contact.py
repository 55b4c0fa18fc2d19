"""Touch: whether, how hard, and by whom."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ubersim.description.component import component
from ubersim.description.families import STATIC
from ubersim.description.fields import identifier, number
from ubersim.sensors.base import Mount
from ubersim.sensors.measurement import Device, Imperfection, Measurement

if TYPE_CHECKING:
    from ubersim.world import Geom, World

NOBODY, STATIC_WORLD, OBJECT, OTHER_ROBOT, SAME_ROBOT = range(5)
"""Who touches, as readings tell it."""


@component
class ContactSensor(Measurement):
    """Feels what touches the body that carries it; `Noise`, `Bias` and `Resolution` are those of the force [N]."""

    dtype = "<f4"
    reading = (
        "5 f32: number of contacts in the last step, their summed force x y z [N] on the body along the sensor's own "
        "axes, and who exerts the strongest: 0 nobody, 1 the static world, 2 one of its free objects, 3 another "
        "robot, 4 another body of the same robot"
    )

    radius: float | None = number(
        "contacts farther away from the sensor are not felt; without it, the whole body feels",
        unit="m", low=0.0, above=True, high=1e4, default=None,
    )  # fmt: skip
    partner: str | None = identifier(
        f"name of the only robot or object of the world that is felt, or `{STATIC}`; without it, all are", default=None
    )

    @property
    def shape(self) -> tuple[int, ...]:
        return (5,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Skin:
        return Skin(mount, self.radius, self.partner, self.imperfection(rng, 3))


class Skin(Device):
    """The device."""

    def __init__(self, mount: Mount, radius: float | None, partner: str | None, force: Imperfection) -> None:
        super().__init__(force, 5)
        self._mount = mount
        self._radius = radius
        self._partner = partner
        mount.body.feel()

    def measure(self) -> Sequence[float]:
        touches = self._mount.body.touches()
        if not len(touches.geoms):
            return 0.0, 0.0, 0.0, 0.0, float(NOBODY)
        frame = self._mount.pose_in_world()
        felt = np.ones(len(touches.geoms), dtype=bool)
        if self._radius is not None:
            felt &= np.linalg.norm(touches.positions - frame.position, axis=1) <= self._radius
        world = self._mount.surroundings.world
        geoms = [geom_of(world, int(number)) for number in touches.geoms]
        if self._partner is not None:
            felt &= [self._is(self._partner, geom) for geom in geoms]
        if not felt.any():
            return 0.0, 0.0, 0.0, 0.0, float(NOBODY)
        forces = touches.forces * felt[:, None]
        strongest = int(np.argmax(np.where(felt, np.einsum("ij,ij->i", forces, forces), -1.0)))
        x, y, z = (forces.sum(axis=0) @ frame.rotation).tolist()
        return float(felt.sum()), x, y, z, float(self._who(geoms[strongest]))

    def report(self, values: Sequence[float]) -> Sequence[float]:
        count, x, y, z, who = values
        return count, *self.imperfection.of_few((x, y, z)), who

    def _is(self, partner: str, geom: Geom) -> bool:
        there = self._mount.surroundings
        if partner == STATIC:
            return geom.body is None
        if partner in there.robots:
            return bool(there.robots[partner].owner == geom.owner)
        return geom.body is not None and there.objects.get(partner) is geom.body

    def _who(self, geom: Geom) -> int:
        if geom.body is None:
            return STATIC_WORLD
        if geom.owner == self._mount.body.owner:
            return SAME_ROBOT
        return OTHER_ROBOT if geom.owner else OBJECT


def geom_of(world: World, number: int) -> Geom:
    """The geom with that id; the list is in their order."""
    return world.geoms[bisect_left(world.geoms, number, key=lambda geom: geom.id)]
