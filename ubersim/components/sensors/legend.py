"""Who has which number now: for programs that want to know the names of robots that joined after them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.description.component import component


@component
class LegendSensor(SensorDescription):
    """Tells the names behind the numbers in segmentation pictures and lists of objects; `Noise` has no meaning here."""

    dtype = "|u1"
    reading = "UTF-8 JSON: an object whose keys are the numbers, and whose values the names; a robot's is `Robot/Body`"

    @property
    def shape(self) -> tuple[int, ...]:
        return (-1,)

    @property
    def largest_reading(self) -> int:
        return 2**16

    def build(self, mount: Mount, rng: np.random.Generator) -> LegendReader:
        return LegendReader(mount)


class LegendReader:
    """The device."""

    def __init__(self, mount: Mount) -> None:
        self._there = mount.surroundings

    def sample(self) -> bytes:
        """The legend now."""
        return json.dumps(self._there.object_ids.names()).encode()

    def set(self, number: int, value: float) -> None:
        """There is no noise to set."""

    def state(self) -> dict[str, Any]:
        """Nothing is to be kept."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing was kept."""
