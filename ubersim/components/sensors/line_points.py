"""Points on the lines of a field, as a vision system finds them along rays over the ground."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.measurement import ImperfectDevice
from ubersim.components.sensors.ranging import BeamScan, beams, fan
from ubersim.description.component import component
from ubersim.description.markings import Marking
from ubersim.geometry import Array, product
from ubersim.protocol.quantity import Quantity

if TYPE_CHECKING:
    from ubersim.physics import RayBatch


@component
class LinePointSensor(BeamScan):
    """Tells where the first marking lies in each of many directions; `Noise`, `Bias` and `Resolution` are in metres.

    Directions are those of a `LidarSensor`, seen from above. Distances are level: from the point below the sensor to
    where the paint begins, or `Near` where that is on paint. What stands before it at the sensor's height hides it.
    """

    dtype = "<f4"
    reading = "`Beams` f32: distances to the first marking, from right to left [m]; infinite where none is in sight"
    quantities = (Quantity("distance", "m"),)

    def build(self, mount: Mount, rng: np.random.Generator) -> LinePoints:
        return LinePoints(mount, self, rng)


class PaintedStrips:
    """Level rectangles of paint, and rays over the ground that meet them."""

    def __init__(self, markings: Iterable[Marking]) -> None:
        strips = [strip for marking in markings for strip in marking.strips()]
        self._centers = np.array([strip.center[:2] for strip in strips]).reshape(-1, 2)
        self._along = np.array([(math.cos(strip.heading), math.sin(strip.heading)) for strip in strips]).reshape(-1, 2)
        self._halves = np.array([(strip.length / 2, strip.width / 2) for strip in strips]).reshape(-1, 2)

    def first_paint(self, origin: Array, directions: Array) -> Array:
        """Along level unit vectors, (N, 2), from a point: the distance to the first paint [m], or infinity."""
        if not len(self._centers):
            return np.full(len(directions), np.inf)
        (x, y), (dx, dy) = (origin - self._centers).T, directions.T[:, :, None]
        enter, leave = np.zeros((len(directions), len(x))), np.full((len(directions), len(x)), np.inf)
        cosine, sine = self._along.T
        for axis_x, axis_y, half in ((cosine, sine, self._halves[:, 0]), (-sine, cosine, self._halves[:, 1])):
            place, speed = x * axis_x + y * axis_y, dx * axis_x + dy * axis_y
            with np.errstate(divide="ignore", invalid="ignore"):
                first, second = (-half - place) / speed, (half - place) / speed
            level = speed == 0.0  # beside the strip for ever, or between its edges for ever
            beside = level & (np.abs(place) > half)
            enter = np.where(beside, np.inf, np.maximum(enter, np.where(level, 0.0, np.minimum(first, second))))
            leave = np.minimum(leave, np.where(level, np.inf, np.maximum(first, second)))
        met: Array = np.where(enter <= leave, enter, np.inf).min(axis=1)
        return met


class LinePoints(ImperfectDevice):
    """The device."""

    def __init__(self, mount: Mount, sensor: LinePointSensor, rng: np.random.Generator) -> None:
        super().__init__(sensor.imperfection(rng, sensor.beams))
        self._mount, self._sensor = mount, sensor
        self._strips = PaintedStrips(mount.surroundings.description.markings)
        self._fan = fan(sensor.angles())
        self._rays: RayBatch = beams(mount, self._fan, sensor)

    def sample(self) -> bytes:
        """The points now."""
        pose = self._mount.pose_in_world()
        directions = product(self._fan, pose.rotation.T)[:, :2]
        lengths = np.hypot(directions[:, 0], directions[:, 1])
        upright = lengths < 1e-9  # looks straight up or down: there is no direction over the ground
        level = directions / np.where(upright, 1.0, lengths)[:, None]
        found = self._strips.first_paint(pose.position[:2], level)
        hidden = self._rays.cast().distances * lengths < found
        found[hidden | upright | (found > self._sensor.range)] = np.inf
        distances = np.maximum(self.imperfection.of(found), self._sensor.near)
        return distances.astype("<f4").tobytes()
