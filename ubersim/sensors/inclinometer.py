"""Absolute pitch, as a liquid or inertial tilt sensor reports it."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from ubersim.description.component import component
from ubersim.description.fields import angle
from ubersim.sensors.base import Mount, SensorDescription

_READING = struct.Struct("<f")


@component
class InclinometerSensor(SensorDescription):
    """Measures absolute pitch; `Noise` is in radians."""

    dtype = "<f4"
    reading = "f32: pitch [rad], nose up positive: atan2(z of its forward axis, z of its up axis), from -pi to pi"

    resolution: float = angle(
        "step in which the pitch is quantised, after the noise; 0: none", low=0, high=90, default=0.0
    )

    def build(self, mount: Mount, rng: np.random.Generator) -> Inclinometer:
        return Inclinometer(mount, self.noise, self.resolution, rng)


class Inclinometer:
    """The device."""

    def __init__(self, mount: Mount, noise: float, resolution: float, rng: np.random.Generator) -> None:
        self._body = mount.body
        # Heights of the sensor's axes are products of the body's third matrix row with these columns.
        self._forward = tuple(float(value) for value in mount.pose.rotation[:, 1])
        self._up = tuple(float(value) for value in mount.pose.rotation[:, 2])
        self._noise = noise
        self._resolution = resolution
        self._rng = rng

    def pitch(self) -> float:
        """The true pitch [rad]."""
        rotations, row = self._body.world.rotations, self._body.row
        x, y, z = rotations.item(row, 2, 0), rotations.item(row, 2, 1), rotations.item(row, 2, 2)
        forward, up = self._forward, self._up
        return math.atan2(
            x * forward[0] + y * forward[1] + z * forward[2],
            x * up[0] + y * up[1] + z * up[2],
        )  # fmt: skip

    def sample(self) -> bytes:
        """The reading now."""
        pitch = self.pitch()
        if self._noise:
            pitch += self._noise * self._rng.standard_normal()
        if self._resolution:
            pitch = self._resolution * round(pitch / self._resolution)
        return _READING.pack(pitch)

    def set(self, property: int, value: float) -> None:
        """Changes the noise."""
        assert property == InclinometerSensor.properties["Noise"]  # the channel lets nothing else through
        self._noise = value

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return {"noise": self._noise, "rng": self._rng.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._noise = state["noise"]
        self._rng.bit_generator.state = state["rng"]
