"""Touch: whether, how hard, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.component import component
from ubersim.description.fields import number, text
from ubersim.geometry import turned_back
from ubersim.protocol.quantity import Quantity, vector


@component
class ContactSensor(Measurement):
    """Feels what touches the body that carries it; `Noise`, `Bias` and `Resolution` are those of the force [N]."""

    dtype = "<f4"
    reading = (
        "5 f32: number of contacts in the last step, their summed force x y z [N] on the body along the sensor's own "
        "axes, and the number in the legend of the one whose contact is the strongest: 1 is the ground, 0 nobody"
    )
    quantities = (Quantity("contacts"), *vector("force", "N"), Quantity("partner"))

    radius: float | None = number(
        "contacts farther away from the sensor are not felt; without it, the whole body feels",
        unit="m", low=0.0, above=True, high=1e4, default=None,
    )  # fmt: skip
    partner: str | None = text(
        "the only one that is felt, by its name in the legend, such as `Ball`, `Ground` or `Robot/Body`; the name of a "
        "robot stands for all of its bodies; without it, all are felt",
        longest=129, default=None,
    )  # fmt: skip

    @property
    def shape(self) -> tuple[int, ...]:
        return (5,)

    def build(self, mount: Mount, rng: np.random.Generator) -> Skin:
        return Skin(mount, self.radius, self.partner, self.imperfection(rng, 3))


_NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0)


class Skin(Device):
    """The device."""

    def __init__(self, mount: Mount, radius: float | None, partner: str | None, force: Imperfection) -> None:
        super().__init__(force, 5)
        self._mount = mount
        self._radius = radius
        self._partner = partner
        self._known: dict[int, tuple[int, str]] = {}
        mount.body.feel()

    def measure(self) -> Sequence[float]:
        touches = self._mount.body.touches()
        if not len(touches.geoms):
            return _NOTHING
        frame = self._mount.pose_in_world()
        numbers, names = zip(*map(self._who, touches.geoms.tolist()), strict=True)
        felt = np.array([self._partner in (None, name, name.partition("/")[0]) for name in names])
        if self._radius is not None:
            felt &= np.linalg.norm(touches.positions - frame.position, axis=1) <= self._radius
        if not felt.any():
            return _NOTHING
        forces = touches.forces * felt[:, None]
        strongest = int(np.argmax(np.where(felt, np.einsum("ij,ij->i", forces, forces), -1.0)))
        x, y, z = turned_back(frame.rotation, forces.sum(axis=0).tolist())
        return float(felt.sum()), x, y, z, float(numbers[strongest])

    def report(self, values: Sequence[float]) -> Sequence[float]:
        count, x, y, z, who = values
        return count, *self.imperfection.of_few((x, y, z)), who

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._known = {}  # the legend may be another one now

    def _who(self, geom: int) -> tuple[int, str]:
        """Number and name of the one that a geom belongs to; geoms' ids are never given to others."""
        if geom not in self._known:
            self._known = self._everybody()
        return self._known[geom]

    def _everybody(self) -> dict[int, tuple[int, str]]:
        there = self._mount.surroundings
        names = {body: name for name, body in there.objects.items()}
        for name, robot in there.robots.items():
            names |= {body: f"{name}/{part}" for part, body in robot.bodies.items()}
        numbers = {name: number for number, name in there.object_ids.names().items()}
        moving = {geom.id: names[geom.body] for geom in there.world.geoms if geom.body is not None}
        known = {geom: (numbers[name], name) for geom, name in moving.items()}
        # The static world comes first in the legend, in the order in which its geoms were made.
        static = [geom.id for geom in there.world.geoms if geom.body is None]
        return known | dict(zip(static, sorted(there.object_ids.names().items()), strict=False))
