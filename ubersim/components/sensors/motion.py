"""How a robot moves that is told how to move, and whether something is in its way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Device, Imperfection, Measurement
from ubersim.description.component import component
from ubersim.protocol.quantity import Quantity, vector


@component
class MotionSensor(Measurement):
    """Tells what became of a `Motion`'s last frame; `Noise`, `Bias` and `Resolution` are those of the velocity."""

    dtype = "<f4"
    reading = (
        "7 f32: 1 if it was blocked in the last frame by something that does not give way, else 0; the velocity that "
        "it had, to the right, forward and up [m/s], and about these axes: pitch, roll and turn to the left [rad/s]"
    )
    quantities = (
        Quantity("blocked"),
        *vector("velocity", "m/s", ("right", "forward", "up")),
        *vector("rate", "rad/s", ("pitch", "roll", "turn")),
    )

    @property
    def shape(self) -> tuple[int, ...]:
        return (7,)

    def build(self, mount: Mount, rng: np.random.Generator) -> MotionMeter:
        return MotionMeter(mount, self.imperfection(rng, 6))


class MotionMeter(Device):
    """The device; of a robot without a `Motion` it reads zeros."""

    def __init__(self, mount: Mount, imperfection: Imperfection) -> None:
        super().__init__(imperfection, 7)
        self._mount = mount

    def measure(self) -> Sequence[float]:
        motion = self._mount.surroundings.robots[self._mount.robot].motion
        if motion is None:
            return (0.0,) * 7
        moved = dict(zip(motion.axes, motion.moved, strict=True))
        axes = ("right", "forward", "up", "pitch", "roll", "turn")
        return float(motion.blocked), *(moved.get(axis, 0.0) for axis in axes)

    def report(self, values: Sequence[float]) -> Sequence[float]:
        blocked, *velocity = values
        return blocked, *self.imperfection.of_few(tuple(velocity))
