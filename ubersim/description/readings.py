"""What sends readings to a robot's program: every sensor, and joints that report about themselves."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ubersim.description.commanded import CommandedComponent
from ubersim.description.component import component
from ubersim.description.fields import Index, flag, latency, number
from ubersim.protocol.properties import on_axis
from ubersim.protocol.quantity import Quantities, Quantity
from ubersim.timing.latency import Constant, LatencyModel


def frequency(index: Index = None) -> Any:
    """How often it sends one."""
    return number(
        "readings per second; 0, or without it: one in every frame",
        unit="Hz",
        low=0.0,
        high=1e6,
        default=None,
        index=index,
    )


def delay(index: Index = None) -> Any:
    """How late they are."""
    return latency("time from measuring to arrival", default=Constant(0.0), index=index)


def stamped() -> Any:
    """Whether they say when they are from."""
    return flag("whether each reading starts with the time of its capture", default=False)


class ReadingDescription(CommandedComponent, ABC, abstract=True):
    """What a reading is, how often it comes, and how late."""

    dtype: ClassVar[str] = "<f4"
    """numpy's name for the type of one value of a reading."""
    reading: ClassVar[str] = ""
    """What a reading is, for the reference."""
    quantities: ClassVar[Quantities] = ()
    """Names and units of its values: of each, of each in a row of a list, or one for all; () if they have none."""

    pixels: ClassVar[Quantities | None] = None
    """Where a reading may be a picture: what its values are then; `quantities` are those of a list."""

    frequency: float | None
    latency: LatencyModel
    stamped: bool

    def quantities_on(self, joints: Mapping[str, Any]) -> Quantities:
        """Names and units of its values, on a robot with these joints, by name: what a joint measures depends on it."""
        return self.quantities

    @property
    def labels(self) -> dict[str, str]:
        """For programs that look for a reading by what it means."""
        return {}

    @property
    def type_name(self) -> str:
        """What programs are told that it is."""
        return self.tag

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one reading; empty for a single value, -1 where it varies."""
        return ()

    def with_missed(self, missed: bytes, newer: bytes) -> bytes:
        """What a program gets that has missed a reading: the newer one, unless both tell of what has happened."""
        return newer

    @property
    def largest_reading(self) -> int:
        """How many bytes a reading may have, for what has to be known before there is any."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def effort(self) -> int:
        """What a reading costs in the frame that it goes with, in bytes that are merely copied."""
        return self.largest_reading

    @property
    def sight(self) -> int:
        """What one reading costs to make that is drawn or probed by rays, in bytes of a picture."""
        return 0

    def unpacked(self, reading: bytes) -> NDArray[Any]:
        """A reading as an array."""
        return np.frombuffer(reading, self.dtype).reshape(self.shape)


@component
class JointReport(ReadingDescription, tag="Report"):
    """What a joint tells about itself, under its own name: for each axis its position and its rate."""

    reading = (
        "for each of the joint's axes 2 f32: position since the joint was made (angle [rad], from -pi to pi, or "
        "extension [m]; not a number for motors, which have none) and its rate [rad/s or m/s]"
    )
    quantities = (Quantity("position", "rad or m"), Quantity("rate", "rad/s or m/s"))

    frequency: float | None = frequency()
    latency: LatencyModel = delay()
    stamped: bool = stamped()
    name: str = dataclasses.field(default="")
    of: str = dataclasses.field(default="")
    units: tuple[tuple[str, str, str], ...] = dataclasses.field(default=())

    def about(self, name: str, tag: str, units: tuple[tuple[str, str, str], ...]) -> JointReport:
        """The report of a certain joint: its name, its tag, and for each axis the units of position, rate, effort."""
        return dataclasses.replace(self, name=name, of=tag, units=units)

    def quantities_on(self, joints: Mapping[str, Any]) -> Quantities:
        return tuple(
            Quantity(on_axis(each.name, axis), unit)
            for axis, units in enumerate(self.units)
            for each, unit in zip(self.quantities, units, strict=False)
        )

    @property
    def type_name(self) -> str:
        return self.of

    @property
    def shape(self) -> tuple[int, ...]:
        return len(self.units), 2
