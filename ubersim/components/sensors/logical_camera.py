"""Levels of abstraction: cameras that tell what is to be seen, instead of showing it. Nothing is drawn for that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.description.component import Component, component
from ubersim.description.fields import angle, number
from ubersim.geometry import Array, Pose
from ubersim.physics.visibility import COLUMNS, Framing, Landmarks, Visibility
from ubersim.render.camera import Camera
from ubersim.render.projections import cone, pixel_rays, viewpoint

Level = Literal["image", "objects", "truth"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Their numbers are their places here."""
GRID = 8
"""Rays across the picture for what is too large to be aimed at."""


@component
class Objects(Component):
    """How well a camera of the level `objects` sees."""

    range: float = number("nothing farther is seen", unit="m", low=0, above=True, high=1e5, default=100.0)
    distance_error: float = number("standard deviation of distances", unit="m", low=0, high=1e5, default=0.0)
    relative_error: float = number(
        "standard deviation of distances that is added to it, as a part of the distance", low=0, high=1, default=0.0
    )
    angle_error: float = angle("standard deviation of bearing, elevation and size", low=0, high=90, default=0.0)
    miss_rate: float = number("part of the things in sight that are overlooked", low=0, high=1, default=0.0)


class Sight:
    """What a camera at one place sees, as rows: number, bearing, elevation [rad], distance [m], apparent size [rad]."""

    def __init__(self, mount: Mount, quality: Objects, rng: np.random.Generator) -> None:
        self._mount = mount
        self._quality = quality
        self._rng = rng
        self._looks_with: Camera | None = None
        self._looks_at: Landmarks | None = None
        self._grid = np.zeros((0, 3))

    def truth(self, camera: Camera) -> bytes:
        """Everything but its own robot, exactly, whether it can be seen or not."""
        return _packed(self._ready(camera).everything())

    def objects(self, camera: Camera) -> bytes:
        """What is in sight, as well as it is seen; its own robot is as if made of air."""
        sight = self._ready(camera)
        return _packed(self._measured(sight.in_sight(self._framing, self._quality.range, self._grid)))

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return {"rng": self._rng.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._rng.bit_generator.state = state["rng"]

    def _ready(self, camera: Camera) -> Visibility:
        """To look around from where all seen rays meet."""
        mount = self._mount
        if camera is not self._looks_with:
            self._looks_with, self._looks_at = camera, None
            self._framing, self._grid = framing(camera), _grid(camera)
        landmarks = mount.surroundings.cameras.visible_objects.landmarks
        if landmarks is not self._looks_at:
            place = Pose(mount.pose.apply(viewpoint(camera)), mount.pose.rotation)
            self._visibility = Visibility(mount.body, place, landmarks)
            self._looks_at = landmarks
        return self._visibility

    def _measured(self, rows: Array) -> Array:
        quality = self._quality
        if quality.miss_rate:
            rows = rows[self._rng.random(len(rows)) >= quality.miss_rate]
        if quality.distance_error or quality.relative_error or quality.angle_error:
            errors = self._rng.standard_normal((len(rows), COLUMNS - 1))
            rows[:, [1, 2, 4]] += quality.angle_error * errors[:, [0, 1, 3]]
            rows[:, 3] += (quality.distance_error + quality.relative_error * rows[:, 3]) * errors[:, 2]
        return rows


def _grid(camera: Camera) -> Array:
    """Directions all over the picture, in the camera's frame."""
    height = max(1, round(GRID * camera.height / camera.width))
    rays = pixel_rays(replace(camera, width=GRID, height=height)).reshape(-1, 3)
    return np.ascontiguousarray(rays[np.isfinite(rays).all(axis=1)])


def framing(camera: Camera) -> Framing:
    """The camera's picture as the kernel knows it."""
    lens, mirror = camera.lens, camera.mirror
    return Framing(
        camera.projection,
        cone(camera),
        width=camera.width,
        height=camera.height,
        focal=camera.focal,
        nearest=camera.near,
        farthest=camera.far,
        k1=lens.k1,
        k2=lens.k2,
        k3=lens.k3,
        p1=lens.p1,
        p2=lens.p2,
        mirror_a=mirror.a,
        mirror_b=mirror.b,
        mirror_rim=mirror.radius,
    )


def _packed(rows: Array) -> bytes:
    return rows.astype("<f4").tobytes()
