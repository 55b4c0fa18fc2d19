"""Where the robot is, as its own localization would tell: the truth with a set error. For what comes after that."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.components.sensors.measurement import ImperfectDevice, Imperfection
from ubersim.description.component import component
from ubersim.description.fields import angle, number
from ubersim.geometry import Array
from ubersim.protocol.quantity import Quantity

_PACK = struct.Struct("<3f").pack


@component
class LocalizationSensor(SensorDescription):
    """Tells the pose of its own place in the world; `Noise` is the error of x and y [m].

    Errors are Gaussian. With a `Correlation` they wander, as those of a filter do; without one they are independent
    from reading to reading.
    """

    dtype = "<f4"
    reading = (
        "3 f32: x, y [m] and heading [rad, about +z from the world's +y, from -pi to pi] of the sensor in the world"
    )
    quantities = (Quantity("x", "m"), Quantity("y", "m"), Quantity("heading", "rad"))

    heading_error: float = angle("standard deviation of the heading", low=0, high=180, default=0.0)
    correlation: float = number(
        "time after which an error is forgotten, but for 1/e of it; 0: at once", unit="s", low=0, high=1e5, default=0.0
    )

    @property
    def shape(self) -> tuple[int, ...]:
        return (3,)

    def build(self, mount: Mount, rng: np.random.Generator) -> LocalizationDevice:
        return LocalizationDevice(mount, self, rng)


class LocalizationDevice(ImperfectDevice):
    """The device."""

    def __init__(self, mount: Mount, sensor: LocalizationSensor, rng: np.random.Generator) -> None:
        super().__init__(Imperfection(rng, noise=sensor.noise))
        self._mount, self._sensor = mount, sensor
        self._error: Array | None = None
        self._frame = 0

    def sample(self) -> bytes:
        """The pose now."""
        pose = self._mount.pose_in_world()
        x, y, heading = float(pose.position[0]), float(pose.position[1]), heading_of(pose.rotation)
        if self.noise or self._sensor.heading_error:
            error = self._wandered()
            x, y = x + self.noise * float(error[0]), y + self.noise * float(error[1])
            heading += self._sensor.heading_error * float(error[2])
        return _PACK(x, y, math.remainder(heading, math.tau))

    def _wandered(self) -> Array:
        """The errors in standard deviations: a first-order process of the time that has passed."""
        there, fresh = self._mount.surroundings, self.imperfection.rng.standard_normal(3)
        kept = 0.0
        if self._error is not None and self._sensor.correlation:
            kept = math.exp(-(there.frame - self._frame) * there.world.step / self._sensor.correlation)
        before = fresh if self._error is None else self._error
        self._error, self._frame = kept * before + math.sqrt(1.0 - kept * kept) * fresh, there.frame
        return self._error

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        error = None if self._error is None else self._error.tolist()
        return super().state() | {"error": error, "frame": self._frame}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        super().restore(state)
        self._error = None if state["error"] is None else np.array(state["error"])
        self._frame = state["frame"]


def heading_of(rotation: Array) -> float:
    """Where the forward axis +y points, about the world's +z [rad]."""
    return math.atan2(-float(rotation[0, 1]), float(rotation[1, 1]))
