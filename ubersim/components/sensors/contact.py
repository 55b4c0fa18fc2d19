"""Touch: whether, how hard, and by whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ubersim.components.native_forms import NativeSensor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.components.sensors.partners import Partners
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
        self._radius = math.inf if radius is None else radius
        self._partners = Partners(mount.surroundings, partner)
        mount.body.feel()

    def measure(self) -> Sequence[float]:
        touches = self._mount.body.touches()
        if not len(touches.geoms):
            return _NOTHING
        frame = self._mount.pose_in_world()
        count, strongest, partner = 0.0, -1.0, 0.0
        force = [0.0, 0.0, 0.0]
        away = (touches.positions - frame.position).tolist()
        for geom, (x, y, z), push in zip(touches.geoms.tolist(), away, touches.forces.tolist(), strict=True):
            number = self._partners.number(geom)
            if number < 0 or math.sqrt(x * x + y * y + z * z) > self._radius:
                continue
            squared = push[0] * push[0] + push[1] * push[1] + push[2] * push[2]
            if squared > strongest:
                strongest, partner = squared, number
            force = [whole + part for whole, part in zip(force, push, strict=True)]
            count += 1.0
        return count, *turned_back(frame.rotation, force), partner

    def report(self, values: Sequence[float]) -> Sequence[float]:
        count, x, y, z, who = values
        return count, *self.imperfection.of_few((x, y, z)), who

    def native(self) -> NativeSensor:
        """As the native lane knows it."""
        numbers = *self._mount.numbers(), self._radius
        return NativeSensor("TOUCH", 5, numbers, (self.imperfection,), body=self._mount.body, partners=self._partners)

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._partners.forget()  # the legend may be another one now
