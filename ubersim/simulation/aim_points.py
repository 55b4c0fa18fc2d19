"""What things look like to cameras that do not draw: how large they are, and where a look at them is aimed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.description import BodyDescription
from ubersim.description.base import Outline, Solid
from ubersim.geometry import Array, product

INSIDE = 0.9
"""How far from a solid's middle to its surface the points lie that are looked at."""
MOST_POINTS = 16
"""On one mesh."""


@dataclass(frozen=True, eq=False)
class AimPoints:
    """Of T things that belong together: spheres around them, and A points to aim at, in the frames of their bodies."""

    centers: Array
    """[m], (T, 3)."""
    radii: Array
    """[m], (T,)."""
    aims: Array
    """[m], (A, 3)."""
    aim_counts: NDArray[np.int64]
    """How many of them each thing has, (T,)."""
    sizes: NDArray[np.int64]
    """How many bodies each thing is made of, or 1 for a static solid, (T,)."""

    @classmethod
    def of_bodies(cls, things: Iterable[Sequence[BodyDescription]]) -> AimPoints:
        """Things are single bodies, or several that look like one; these are seen in the frame of the first."""
        things = list(things)
        solids = [[solid for body in bodies for solid in body.shown] for bodies in things]
        origins = [bodies[0].mass_properties().center for bodies in things]
        return cls._of(solids, origins, [_aims_of(bodies) for bodies in things], [len(bodies) for bodies in things])

    @classmethod
    def of_statics(cls, solids: Sequence[Solid]) -> AimPoints:
        """Each solid is a thing, in the frame of the world."""
        aims = [_aims_in_model(solid) for solid in solids]
        return cls._of([[solid] for solid in solids], [np.zeros(3)] * len(solids), aims, [1] * len(solids))

    @classmethod
    def _of(cls, solids: list[list[Solid]], origins: list[Array], aims: list[Array], sizes: list[int]) -> AimPoints:
        spheres = [sphere_around(own) if own else (origin, 0.0) for own, origin in zip(solids, origins, strict=True)]
        counts = [len(own) for own in aims]
        frames = np.array(origins).reshape(-1, 3)
        return cls(
            centers=np.array([center for center, _ in spheres]).reshape(-1, 3) - frames,
            radii=np.array([radius for _, radius in spheres]),
            aims=np.concatenate([np.zeros((0, 3)), *aims]) - np.repeat(frames, counts, axis=0),
            aim_counts=np.array(counts, dtype=np.int64),
            sizes=np.array(sizes, dtype=np.int64),
        )


def _aims_of(bodies: Sequence[BodyDescription]) -> Array:
    """Of one thing, in model space: all of its first body's, and a point in each of the others."""
    first, *others = bodies
    middles = [_aims_in_model(body.shown[len(body.shown) // 2])[:1] for body in others if body.shown]
    own = [_aims_in_model(solid) for solid in first.shown] or [first.mass_properties().center[None]]
    return np.concatenate([*own, *middles])


def _aims_in_model(solid: Solid) -> Array:
    """A solid's aims, seen from model space."""
    seen: Array = solid.pose.position + product(aims(solid.outline()), solid.pose.rotation.T)
    return seen


def sphere_around(solids: Iterable[Solid]) -> tuple[Array, float]:
    """Centre and radius of a sphere, about the middle of their box, that holds solids, all in model space [m]."""
    solids = list(solids)
    boxes = np.array([solid.bounds() for solid in solids])
    center: Array = (boxes[:, 0].min(axis=0) + boxes[:, 1].max(axis=0)) / 2
    return center, max(_farthest(solid, center) for solid in solids)


def _farthest(solid: Solid, point: Array) -> float:
    """Distance from a point of model space to the farthest point of a solid [m]."""
    outline, seen = solid.outline(), product(solid.pose.rotation.T, point - solid.pose.position)
    x, y, z = np.abs(seen)
    match outline.kind, outline.size:
        case "box", (a, b, c):
            return math.hypot(x + a / 2, y + b / 2, z + c / 2)
        case "sphere", (radius,):
            return math.hypot(x, y, z) + radius
        case "capsule", (radius, height):
            return math.hypot(x, y, z + height / 2) + radius
        case "cylinder", (radius, height):
            return math.hypot(math.hypot(x, y) + radius, z + height / 2)
    assert outline.mesh is not None
    return float(np.linalg.norm(outline.mesh[0] - seen, axis=1).max())


def aims(outline: Outline) -> Array:
    """Points in a solid, in its own frame [m], such that it is likely in sight if a ray to one of them is free."""
    match outline.kind, outline.size:
        case "box", size:
            corners = np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3), axis=-1).reshape(-1, 3)
            return np.concatenate([np.zeros((1, 3)), INSIDE / 2 * corners * size])
        case "sphere", (radius,):
            reach = np.full(3, radius)
        case "capsule", (radius, height):
            reach = np.array([radius, radius, height / 2 + radius])
        case "cylinder", (radius, height):
            reach = np.array([radius, radius, height / 2])
        case _:
            assert outline.mesh is not None
            vertices, triangles = outline.mesh
            some = np.linspace(0, len(triangles) - 1, min(len(triangles), MOST_POINTS)).astype(int)
            middles: Array = vertices[triangles[some]].mean(axis=1)
            return middles
    return np.concatenate([np.zeros((1, 3)), INSIDE * np.diag(reach), -INSIDE * np.diag(reach)])
