"""Levels of abstraction: cameras that tell what is to be seen, instead of showing it. Nothing is drawn for that."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ubersim.description.component import Component, component
from ubersim.description.fields import angle, number
from ubersim.pose import Array, Pose
from ubersim.render.camera import Camera
from ubersim.render.projections import pixel_rays, project, viewpoint
from ubersim.sensors.base import Mount

if TYPE_CHECKING:
    from ubersim.things import Others

Level = Literal["image", "objects", "truth"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Their numbers are their places here."""
COLUMNS = 5
"""Number, bearing, elevation, distance, apparent size."""
GRID = 8
"""Rays across the picture for what is too large to be aimed at."""
_BEYOND = 1e-6
"""How much farther than an aim a ray goes; a mesh is aimed at on its surface."""


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
        self._looked_with: Camera | None = None
        self._grid = np.zeros((0, 3))

    def truth(self, camera: Camera) -> bytes:
        """Everything but its own robot, exactly, whether it can be seen or not."""
        others, seen, _ = self._look(camera)
        return _packed(_rows(others, seen, np.arange(len(others.ids))))

    def objects(self, camera: Camera) -> bytes:
        """What is in sight, as well as it is seen."""
        others, seen, pose = self._look(camera)
        visible = self._visible(camera, others, seen[len(others.ids) :], pose)
        if self._quality.miss_rate:
            visible = visible[self._rng.random(len(visible)) >= self._quality.miss_rate]
        return _packed(self._measured(_rows(others, seen, visible)))

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return {"rng": self._rng.bit_generator.state}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._rng.bit_generator.state = state["rng"]

    def _look(self, camera: Camera) -> tuple[Others, Array, Pose]:
        """The others, their places in the camera's axes from where all seen rays meet, and the pose of that point."""
        pose = self._mount.pose_in_world()
        if camera.projection == "mirror":
            pose = Pose(pose.apply(viewpoint(camera)), pose.rotation)
        others = self._mount.surroundings.eyes.things.others(self._mount.body.owner)
        return others, (others.places() - pose.position) @ pose.rotation, pose

    def _visible(self, camera: Camera, others: Others, points: Array, pose: Pose) -> NDArray[np.int64]:
        """The things that a free ray within the picture and range leads to; its own robot is as if made of air."""
        aimed = points[in_picture(camera, points)]
        distances = np.sqrt(np.einsum("pi,pi->p", aimed, aimed))
        reach = self._quality.range
        if distances.max(initial=0.0) > reach:
            aimed, distances = aimed[distances <= reach], distances[distances <= reach]
        rays = np.concatenate([aimed, self._grid_rays(camera)]) @ pose.rotation.T
        ranges = np.full(len(rays), reach)
        ranges[: len(aimed)] = distances * (1 + _BEYOND) + _BEYOND
        origins = np.broadcast_to(pose.position, rays.shape)
        world, own = self._mount.surroundings.world, self._mount.body.owner
        return others.among(world.cast_rays(origins, rays, ranges, ignore_owner=own).geoms)

    def _grid_rays(self, camera: Camera) -> Array:
        """Directions all over the picture, in the camera's frame."""
        if self._looked_with is not camera:
            height = max(1, round(GRID * camera.height / camera.width))
            scaled = replace(camera, width=GRID, height=height)
            rays = pixel_rays(scaled).reshape(-1, 3)
            self._grid = rays[np.isfinite(rays).all(axis=1)]
            self._looked_with = camera
        return self._grid

    def _measured(self, rows: Array) -> Array:
        quality = self._quality
        if quality.distance_error or quality.relative_error or quality.angle_error:
            errors = self._rng.standard_normal((len(rows), COLUMNS - 1))
            rows[:, [1, 2, 4]] += quality.angle_error * errors[:, [0, 1, 3]]
            rows[:, 3] += (quality.distance_error + quality.relative_error * rows[:, 3]) * errors[:, 2]
        return rows


def in_picture(camera: Camera, points: Array) -> NDArray[np.bool_]:
    """Which points, seen from the viewpoint in the camera's axes, are within the picture, neither too near nor far."""
    right, ahead, up = points.T
    inside: NDArray[np.bool_]
    if camera.projection == "pinhole" and not camera.lens.distorts:
        wide = math.tan(camera.fov / 2)
        high = wide * camera.height / camera.width
        depths = ahead
        inside = (np.abs(right) <= wide * ahead) & (np.abs(up) <= high * ahead)
    else:
        column, row = project(camera, points + viewpoint(camera)).T  # not a number is not inside
        depths = np.sqrt(right * right + ahead * ahead + up * up)
        inside = (column >= 0) & (column <= camera.width) & (row >= 0) & (row <= camera.height)
    inside &= (depths >= camera.near) & (depths <= camera.far)
    return inside


def _rows(things: Others, seen: Array, chosen: NDArray[np.int64]) -> Array:
    """What is to be told of the chosen things, whose centres are seen there in the camera's axes."""
    right, ahead, up = seen[chosen].T
    level = np.hypot(right, ahead)
    distances = np.hypot(level, up)
    rows = np.empty((len(chosen), COLUMNS))
    rows[:, 0] = things.ids[chosen]
    rows[:, 1] = np.arctan2(-right, ahead)
    rows[:, 2] = np.arctan2(up, level)
    rows[:, 3] = distances
    # As wide as the sphere around it; from within that, it fills half of all directions.
    rows[:, 4] = 2 * np.arcsin(np.minimum(1.0, things.radii[chosen] / np.maximum(distances, 1e-9)))
    return rows


def _packed(rows: Array) -> bytes:
    return rows.astype("<f4").tobytes()
