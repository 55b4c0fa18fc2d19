"""What sensors of numbers share: how their values differ from the truth, and the device that makes them differ."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ubersim.description.base import SensorDescription
from ubersim.description.component import component
from ubersim.description.fields import number
from ubersim.geometry import Array
from ubersim.protocol.properties import SENSOR_PROPERTIES


@component
class Measurement(SensorDescription, abstract=True):
    """A sensor whose values carry a constant error, then white noise, and then are rounded."""

    bias: float = number(
        "standard deviation of a constant error, drawn for each value when the robot joins; in the unit of `Noise`",
        low=0.0,
        high=1e6,
        default=0.0,
    )
    resolution: float = number(
        "step to which values are rounded, after bias and noise, in the unit of `Noise`; 0: none",
        low=0.0,
        high=1e6,
        default=0.0,
    )

    def imperfection(self, rng: np.random.Generator, size: int = 1) -> Imperfection:
        """What `Noise`, `Bias` and `Resolution` say, for readings of so many values."""
        return Imperfection(rng, size, noise=self.noise, bias=self.bias, resolution=self.resolution)


class Imperfection:
    """From the true values to those that a device reports: resolution * round((truth + bias + noise) / resolution)."""

    def __init__(
        self, rng: np.random.Generator, size: int = 1, *, noise: float = 0.0, bias: float = 0.0, resolution: float = 0.0
    ) -> None:
        self.noise = noise
        """Standard deviation of the white noise; may change at run time."""
        self.bias: Array | None = bias * rng.standard_normal(size) if bias else None
        """The constant error, which this device has for life."""
        self.resolution = resolution
        """Step to which values are rounded; 0: none."""
        self.rng = rng
        """What the noise is drawn from."""

    def of(self, values: Array) -> Array:
        """What is reported instead of these values; infinite and undefined ones stay as they are."""
        if self.bias is not None:
            values = values + self.bias
        if self.noise:
            values = values + self.noise * self.rng.standard_normal(values.shape)
        if self.resolution:
            values = self.resolution * np.round(values / self.resolution)
        return values

    def of_few(self, values: Sequence[float]) -> Sequence[float]:
        """`of` for a handful of plain numbers; costs nothing where there is no imperfection."""
        if self.bias is None and not self.noise and not self.resolution:
            return values
        reported: list[float] = self.of(np.array(values)).tolist()
        return reported

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps; the bias follows from the seed."""
        return {"noise": self.noise, "rng": self.rng.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self.noise = state["noise"]
        self.rng.bit_generator.state = state["rng"]


class ImperfectDevice:
    """What all readers with an imperfection do in the same way: the property `Noise`, and snapshots."""

    def __init__(self, imperfection: Imperfection) -> None:
        self.imperfection = imperfection

    @property
    def noise(self) -> float:
        """As it is now."""
        return self.imperfection.noise

    def set(self, number: int, value: float) -> None:
        """Changes the noise."""
        assert number == SENSOR_PROPERTIES["Noise"]  # the channel lets nothing else through
        self.imperfection.noise = value

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return self.imperfection.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self.imperfection.restore(state)


class Device(ImperfectDevice, ABC):
    """A reader of a few numbers, sent as f32."""

    def __init__(self, imperfection: Imperfection, size: int) -> None:
        super().__init__(imperfection)
        self._pack = struct.Struct(f"<{size}f").pack

    @abstractmethod
    def measure(self) -> Sequence[float]:
        """The true values now."""

    def report(self, values: Sequence[float]) -> Sequence[float]:
        """What the device makes of the true values."""
        return self.imperfection.of_few(values)

    def sample(self) -> bytes:
        """The reading now."""
        return self._pack(*self.report(self.measure()))
