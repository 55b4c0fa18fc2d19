"""How a camera's picture is made: which flat views are drawn, side by side in one atlas, and where pixels look there.

A pinhole camera is one view and no map. Everything else is drawn into one wide view, or into the needed parts of a
cube's faces, and one lens pass looks every pixel up. The map is computed here, once per camera, by the formulas of
projections.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.render.camera import Camera
from ubersim.render.projections import pixel_rays

Array = NDArray[np.float64]

WIDEST_VIEW = 1.5
"""Tangent up to which one flat view serves; beyond, its edges would waste more pixels than a cube's faces."""
LARGEST_VIEW = 2048
"""Largest edge of a view in the atlas [px]."""
MARGIN = 2
"""Pixels around what a view must show, so that no blend of four pixels reaches beyond it."""

# Rows: right, forward, up of each view in the camera's frame. Ahead first, behind last.
FACES: tuple[Array, ...] = tuple(
    np.array(rows, dtype=float)
    for rows in (
        ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
        ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
        ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
        ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
        ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    )
)


@dataclass(frozen=True, eq=False)
class View:
    """One flat picture in the atlas."""

    axes: Array
    """Rows: its right, forward and up directions in the camera's frame, (3, 3)."""
    left: float
    """Tangent at the left edge, to the right positive [1]."""
    right: float
    """Tangent at the right edge [1]."""
    bottom: float
    """Tangent at the bottom edge, up positive [1]."""
    top: float
    """Tangent at the top edge [1]."""
    corner: tuple[int, int]
    """First column and row in the atlas [px]."""
    size: tuple[int, int]
    """Columns and rows [px]."""

    @property
    def focal(self) -> float:
        """Pixels per unit of tangent."""
        return self.size[0] / (self.right - self.left)


@dataclass(frozen=True, eq=False)
class Plan:
    """The views of a camera and the map from its pixels to them."""

    views: tuple[View, ...]
    """At least one, unless no pixel sees anything."""
    size: tuple[int, int]
    """Columns and rows of the atlas [px]."""
    lookup: NDArray[np.float32] | None
    """For each pixel its place in the atlas [px], negative if it sees nothing, and the camera's depth per depth of the
    view, (height, width, 3); None: the atlas is the picture."""


def plan(camera: Camera, fineness: float = 1.0) -> Plan:
    """The cheapest way to see what the camera sees; `fineness` is in pixels of the views per pixel of the picture."""
    if camera.projection == "pinhole" and not camera.lens.distorts:
        across = math.tan(camera.fov / 2)
        down = across * camera.height / camera.width
        size = (camera.width, camera.height)
        return Plan((View(FACES[0], -across, across, -down, down, (0, 0), size),), size, None)
    rays = pixel_rays(camera)
    with np.errstate(invalid="ignore", divide="ignore"):
        tangents = np.abs(rays[..., [0, 2]]).max(axis=-1) / np.where(rays[..., 1] > 0, rays[..., 1], np.nan)
    seen = np.isfinite(rays).all(axis=-1)
    if np.all(tangents[seen] <= WIDEST_VIEW):
        owners = np.where(seen, 0, -1)
    else:
        along = np.stack([rays @ face[1] for face in FACES], axis=-1)
        owners = np.where(seen, np.argmax(np.where(np.isfinite(along), along, -1), axis=-1), -1)
    return _atlas(camera, rays, owners, fineness)


def _atlas(camera: Camera, rays: Array, owners: NDArray[np.int64], fineness: float) -> Plan:
    """Packs one view per used face from left to right, each just large and fine enough for its pixels."""
    views: list[View] = []
    lookup = np.full((camera.height, camera.width, 3), -1.0, np.float32)
    column = 0
    for number, axes in enumerate(FACES):
        mine = owners == number
        if not mine.any():
            continue
        local = rays @ axes.T
        with np.errstate(invalid="ignore", divide="ignore"):
            place = local[..., [0, 2]] / local[..., 1:2]
        low, high = place[mine].min(axis=0), place[mine].max(axis=0)
        focal = fineness * _resolution(place, mine, camera.focal)
        focal = min(focal, (LARGEST_VIEW - 2 * MARGIN - 1) / max(*(high - low), 1e-9))
        size = np.ceil((high - low) * focal).astype(int) + 2 * MARGIN
        middle, half = (low + high) / 2, size / focal / 2
        (left, bottom), (right, top) = middle - half, middle + half
        view = View(axes, left, right, bottom, top, (column, 0), (int(size[0]), int(size[1])))
        views.append(view)
        lookup[mine, 0] = column + (place[mine, 0] - left) * focal
        lookup[mine, 1] = (top - place[mine, 1]) * focal
        # A pinhole's depth is along its axis, which is the view's; every other camera's is along the ray.
        lookup[mine, 2] = 1.0 if camera.projection == "pinhole" else 1 / local[mine, 1]
        column += view.size[0]
    height = max((view.size[1] for view in views), default=1)
    return Plan(tuple(views), (max(column, 1), height), lookup)


def _resolution(place: Array, mine: NDArray[np.bool_], fallback: float) -> float:
    """Pixels per tangent, such that the camera's pixels lie (nearly all) at least a pixel of the view apart."""
    steps = []
    for axis in (0, 1):
        both = mine & np.roll(mine, -1, axis=axis)
        both[(slice(None),) * axis + (-1,)] = False
        step = np.linalg.norm(np.roll(place, -1, axis=axis) - place, axis=-1)[both]
        steps.append(step[np.isfinite(step)])
    lengths = np.concatenate(steps)
    return 1 / float(np.quantile(lengths, 0.1)) if len(lengths) else fallback
