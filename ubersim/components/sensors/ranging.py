"""What all sensors that measure distances by rays share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Measurement
from ubersim.description.component import component
from ubersim.description.fields import choice, number
from ubersim.geometry import Array, product

if TYPE_CHECKING:
    from ubersim.physics import RayBatch

RAY_COST = 256
"""What a ray costs, in bytes of a picture that is drawn without a graphics card."""


@component
class RangeFinder(Measurement, abstract=True):
    """Measures distances; `Noise`, `Bias` and `Resolution` are in metres."""

    range: float = number("nothing farther is measured", unit="m", low=0.0, above=True, high=1e5)
    near: float = number("what is nearer is reported at this distance", unit="m", low=0, high=1e5, default=0.0)
    ignore: Literal["robot", "body"] = choice(
        "what rays go through: the whole `robot`, or only the `body` that carries the sensor", "robot", "body",
        default="robot",
    )  # fmt: skip

    @property
    def sight(self) -> int:
        return RAY_COST * self.ray_count

    @property
    def ray_count(self) -> int:
        """How many rays a reading takes."""
        return 1


def beams(mount: Mount, directions: Array, sensor: RangeFinder) -> RayBatch:
    """Rays from where the sensor sits; `directions` are unit vectors in its own frame."""
    from ubersim.physics import RayBatch  # not above: descriptions can be read without the physics engine

    turned = product(directions, mount.pose.rotation.T)
    if sensor.ignore == "robot":
        return RayBatch(mount.body, mount.pose.position, turned, sensor.range, ignore_owner=mount.body.owner)
    return RayBatch(mount.body, mount.pose.position, turned, sensor.range, ignore_body=mount.body)


def fan(angles: Array) -> Array:
    """Directions in the sensor's x-y plane, at angles [rad] from its forward axis +y to the left."""
    return np.stack([-np.sin(angles), np.cos(angles), np.zeros(len(angles))], axis=1)


def cone(half_angle: float, count: int) -> Array:
    """Directions spread evenly over a cone about +y: the first along its axis, the last on its rim."""
    numbers = np.arange(count)
    # Equal shares of the solid angle, each turned on by the golden angle: no two rays line up.
    off_axis = np.arccos(1 - (1 - np.cos(half_angle)) * numbers / max(count - 1, 1))
    around = numbers * np.pi * (3 - np.sqrt(5))
    return np.stack([np.sin(off_axis) * np.cos(around), np.cos(off_axis), np.sin(off_axis) * np.sin(around)], axis=1)
