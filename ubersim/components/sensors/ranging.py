"""What all sensors that measure distances by rays share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import Measurement
from ubersim.components.sensors.perception import Feature, LandmarkNames, without_errors
from ubersim.description.component import component
from ubersim.description.fields import angle, choice, integer, number
from ubersim.geometry import Array, product

if TYPE_CHECKING:
    from ubersim.physics import RayBatch

RAY_COST = 256
"""What a ray costs, in bytes of a picture that is drawn without a graphics card."""
MOST_BEAMS = 24
"""Of a scan, that localization looks at: those between them say little more."""


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

    def angles(self) -> Array:
        """Where the distances of a reading are measured [rad], to the left of the forward axis."""
        return np.zeros(1)

    def flawless(self) -> Self:
        """The same sensor without noise and latency."""
        return without_errors(self, bias=0.0, resolution=0.0)

    def features(self, landmarks: LandmarkNames) -> tuple[Feature, ...]:
        """What localization may know of a reading: some of its distances."""
        error = math.hypot(self.noise, self.bias, self.resolution / math.sqrt(12))
        degrees = np.degrees(self.angles()[self._chosen()]).tolist()
        return tuple(Feature(f"distance at {angle:.0f}°", "m", error) for angle in degrees)

    def observed(self, reading: Any, landmarks: LandmarkNames) -> Array:
        """Those distances [m]; where nothing is in range, the range."""
        distances = np.atleast_1d(np.asarray(reading, dtype=float))
        clipped: Array = np.minimum(distances[self._chosen()], self.range)
        return clipped

    def _chosen(self) -> NDArray[np.int64]:
        """Places in a reading, evenly spread, far enough apart to say something new each."""
        size = len(self.angles())
        count = min(size, MOST_BEAMS)
        return np.arange(count, dtype=np.int64) * size // count


@component
class BeamScan(RangeFinder, abstract=True):
    """Distances in many directions of one plane, from right to left."""

    fov: float = angle("the sector that is scanned, about its forward axis", low=0.1, high=360, default=math.pi)
    beams: int = integer("number of beams", low=1, high=10_000, default=181)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.beams,)

    @property
    def ray_count(self) -> int:
        return self.beams

    def angles(self) -> Array:
        if self.beams == 1:
            return np.zeros(1)
        gaps = self.beams if self.fov >= math.tau - 1e-9 else self.beams - 1
        return self.fov * (np.arange(self.beams) / gaps - 0.5)


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
