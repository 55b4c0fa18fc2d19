"""What a light's shadow map shows: the region that shadows fall in, and the light's view of it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ubersim.render.frustum import looking, orthographic, perspective
from ubersim.render.instances import Instances
from ubersim.render.plan import View
from ubersim.render.scene import DirectionalSource, Light, PointSource
from ubersim.render.shapes import Vector

Array = NDArray[np.float64]

CUBE: tuple[Vector, ...] = (
    (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0),
)  # fmt: skip
"""Where the sides of the cube around a lamp look to."""


class Region(NamedTuple):
    """A sphere around everything that casts shadows."""

    middle: Vector
    """World [m]."""
    radius: float
    """[m]."""


class Frustum(NamedTuple):
    """What a light sees in one map."""

    clip_from_world: Array
    """The map's matrix, (4, 4)."""
    eye: Array
    """Where the light is [m]; nan: its rays are parallel."""
    pixels: float
    """Pixels of the map per metre, at 1 m from the eye unless rays are parallel."""


def region(instances: Instances, reach: float) -> Region:
    """In coarse steps, lest edges crawl while things move; what is farther than `reach` from most does not count."""
    centres, radii = instances.centres[instances.casts], instances.radii[instances.casts]
    usable = np.isfinite(centres).all(axis=1)
    if not usable.all():
        centres, radii = centres[usable], radii[usable]
    count = len(centres)
    if count == 0:
        return Region((0.0, 0.0, 0.0), 1.0)
    ordered = np.sort(centres, axis=0)
    median = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    near = _lengths(centres - median) + radii <= reach
    if not near.any():
        return Region(_vector(median), reach)
    if not near.all():
        centres, radii = centres[near], radii[near]
    around = radii[:, None]
    middle = ((centres - around).min(axis=0) + (centres + around).max(axis=0)) / 2
    needed = float((_lengths(centres - middle) + radii).max())
    # Powers of the square root of two, with room for the middle to move by a step.
    radius = float(2.0 ** (np.ceil(2 * np.log2(max(needed, 1e-3) * 1.1)) / 2))
    step = radius / 16
    return Region(_vector(np.round(middle / step) * step), radius)


def frustum(light: Light, side: int, of: Region, size: int, softness: int) -> Frustum:
    """Of a light, or of one side of the cube around it, in a map with edges of `size` pixels."""
    middle = np.array(of.middle)
    if isinstance(light, DirectionalSource):
        clip_from_world = orthographic(of.radius) @ looking(_axes(light.direction), middle)
        return Frustum(clip_from_world, np.full(3, np.nan), size / (2 * of.radius))
    eye = np.array(light.position)
    if isinstance(light, PointSource):  # sides overlap, so that no smoothing and no offset looks beyond them
        edge, axes = size / (size - 4 * (softness + 2)), _axes(CUBE[side])
    else:
        edge, axes = np.tan(min(light.cone, 1.4)), _axes(light.direction)
    view = View(axes, -edge, edge, -edge, edge, (0, 0), (size, size))
    far = max(float(np.linalg.norm(middle - eye)) + of.radius, 0.2)
    return Frustum(perspective(view, far / 200, far) @ looking(view.axes, eye), eye, view.focal)


@lru_cache(maxsize=64)
def _axes(direction: Vector) -> Array:
    """Right, forward, up of a light that shines along `direction`. Not to be changed."""
    forward = np.array(direction) / np.linalg.norm(direction)
    helper = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, helper)
    right /= np.linalg.norm(right)
    return np.stack([right, forward, np.cross(right, forward)])


def _lengths(vectors: Array) -> Array:
    lengths: Array = np.sqrt((vectors * vectors).sum(axis=1))
    return lengths


def _vector(values: Array) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
