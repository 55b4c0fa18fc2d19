"""Levels of abstraction: cameras that tell what is to be seen, instead of showing it. Nothing is drawn for that."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from ubersim.components.sensors.base import Mount
from ubersim.description.component import Component, component
from ubersim.description.fields import angle, number
from ubersim.geometry import Array, Pose
from ubersim.physics.visibility import COLUMNS, Landmarks, Visibility
from ubersim.render.camera import Camera
from ubersim.render.projections import pixel_rays, project, viewpoint

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
        self._outlook: Visibility | None = None
        self._grid = np.zeros((0, 3))

    def truth(self, camera: Camera) -> bytes:
        """Everything but its own robot, exactly, whether it can be seen or not."""
        outlook = self._look(camera)
        return _packed(outlook.everything())

    def objects(self, camera: Camera) -> bytes:
        """What is in sight, as well as it is seen; its own robot is as if made of air."""
        outlook = self._look(camera)
        _frame(outlook, camera)
        outlook.search(self._quality.range, self._grid)
        return _packed(self._measured(outlook.in_sight()))

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return {"rng": self._rng.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._rng.bit_generator.state = state["rng"]

    def _look(self, camera: Camera) -> Visibility:
        """From where all seen rays meet."""
        mount = self._mount
        landmarks = mount.surroundings.cameras.visible_objects.others(mount.body.owner)
        if self._outlook is None or camera is not self._looks_with or landmarks is not self._looks_at:
            place = Pose(mount.pose.apply(viewpoint(camera)), mount.pose.rotation)
            self._outlook = Visibility(mount.body, place, landmarks)
            self._grid = _grid(camera)
            self._looks_with, self._looks_at = camera, landmarks
        self._outlook.look()
        return self._outlook

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


def _frame(outlook: Visibility, camera: Camera) -> None:
    """Which aims are within the picture, neither too near nor too far."""
    if camera.projection == "pinhole" and not camera.lens.distorts:
        wide = math.tan(camera.fov / 2)
        outlook.frame(wide, wide * camera.height / camera.width, camera.near, camera.far)
        return
    column, row = project(camera, outlook.aims + viewpoint(camera)).T  # not a number is not inside
    depths = np.sqrt(np.einsum("ai,ai->a", outlook.aims, outlook.aims))
    outlook.inside[:] = (column >= 0) & (column <= camera.width) & (row >= 0) & (row <= camera.height)
    outlook.inside[:] &= (depths >= camera.near) & (depths <= camera.far)


def _packed(rows: Array) -> bytes:
    return rows.astype("<f4").tobytes()
