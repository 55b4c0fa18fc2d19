"""Triangles of the unit shapes, in several levels of detail, and of meshes. Pure numpy.

A vertex is seven floats: position x, y, z; shift; normal x, y, z. The shift moves a capsule's two halves apart, in
multiples of a length that each instance gives; it is 0 for everything else. Vertices of coloured meshes have three
more, red, green and blue; those of textured ones two more, their place in the texture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from ubersim.render.shapes import TriangleMesh

Array = NDArray[np.float64]
Turned = Literal["sphere", "capsule", "cylinder"]

SEGMENTS = (8, 12, 20, 32, 56, 96)
"""Corners of a round shape's outline, per level of detail."""

CREASE = np.cos(np.radians(40.0))
"""Neighbouring triangles of a mesh that meet at a flatter angle are shaded as one smooth surface."""
MOST_AROUND = 32
"""Triangles at one vertex that are compared with each other."""
_PAIRS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Geometry:
    """Triangles as the graphics card wants them."""

    vertices: NDArray[np.float32]
    """(V, 7), or (V, 10) with colours, or (V, 9) with places in a texture."""
    indices: NDArray[np.int32]
    """(T, 3), counter-clockwise seen from outside."""


def detail_limits(tolerance: float) -> Array:
    """Largest apparent radius at which each level of detail is wrong by no more than `tolerance` [px]."""
    # Corners lie outside and edges inside of the true outline by the same amount, half of an arc's height.
    return 2 * tolerance / (1 - np.cos(np.pi / np.array(SEGMENTS)))


@cache
def box() -> Geometry:
    """Edges of length 1."""
    vertices: list[list[float]] = []
    indices: list[list[int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            across = np.roll(np.eye(3)[0], axis + 1) * sign
            along = np.cross(normal, across)
            first = len(vertices)
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                vertices.append([*(0.5 * (normal + x * across + y * along)), 0.0, *normal])
            indices += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    return Geometry(np.array(vertices, np.float32), np.array(indices, np.int32))


@cache
def quad() -> Geometry:
    """Edges of length 1, facing +z."""
    corners = [[x, y, 0.0, 0.0, 0.0, 0.0, 1.0] for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))]
    return Geometry(np.array(corners, np.float32), np.array([[0, 1, 2], [0, 2, 3]], np.int32))


@cache
def turned(kind: Turned, level: int) -> Geometry:
    """A unit shape of revolution about z: radius 1; a cylinder from -1 to 1, a capsule's halves at shift -1 and 1."""
    segments = SEGMENTS[level]
    outward = 1 / np.sqrt(np.cos(np.pi / segments))
    if kind == "cylinder":
        # The caps have normals of their own, so their rims are there twice.
        profile = np.array(
            [
                [0, -1, 0, 0, -1],
                [outward, -1, 0, 0, -1],
                [outward, -1, 0, 1, 0],
                [outward, 1, 0, 1, 0],
                [outward, 1, 0, 0, 1],
                [0, 1, 0, 0, 1],
            ]
        )
    else:
        angles = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 1)
        shifts = np.zeros_like(angles)
        if kind == "capsule":
            angles = np.insert(angles, segments // 4, 0.0)
            shifts = np.where(np.arange(len(angles)) <= segments // 4, -1.0, 1.0)
        cosines, sines = np.cos(angles), np.sin(angles)
        cosines[[0, -1]] = 0.0
        profile = np.stack([cosines * outward, sines * outward, shifts, cosines, sines], axis=1)
    return _lathe(profile, segments)


def _lathe(profile: Array, segments: int) -> Geometry:
    """Turns a profile of rows (radius, z, shift, normal's radius, normal's z), from bottom to top, about z."""
    turn = 2 * np.pi * np.arange(segments) / segments
    cosine, sine = np.cos(turn), np.sin(turn)
    rows: list[Array] = []
    starts: list[int] = []
    for radius, z, shift, across, along in profile:
        # A pole is one vertex, not a ring of them.
        c, s = (cosine, sine) if radius > 0 else (np.ones(1), np.zeros(1))
        starts.append(sum(len(row) for row in rows))
        flat = np.ones_like(c)
        rows.append(np.stack([radius * c, radius * s, z * flat, shift * flat, across * c, across * s, along * flat], 1))
    triangles = []
    this = np.arange(segments)
    following = (this + 1) % segments
    for lower, upper, start, above in zip(rows, rows[1:], starts, starts[1:], strict=False):
        if np.array_equal(lower[0, :4], upper[0, :4]):
            continue  # the doubled rim
        if len(lower) > 1:
            end = above + following if len(upper) > 1 else np.full(segments, above)
            triangles.append(np.stack([start + this, start + following, end], 1))
        if len(upper) > 1:
            begin = start + this if len(lower) > 1 else np.full(segments, start)
            triangles.append(np.stack([begin, above + following, above + this], 1))
    return Geometry(np.concatenate(rows).astype(np.float32), np.concatenate(triangles).astype(np.int32))


def from_mesh(mesh: TriangleMesh) -> Geometry:
    """Every corner of every triangle with a normal that is smooth across flat angles and sharp across edges."""
    corners = mesh.vertices[mesh.triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    facing = areas / np.where(lengths > 0, lengths, 1)
    normals = _smooth(mesh.triangles, areas, facing)
    skin = _skin(mesh)
    vertices = np.zeros((normals.shape[0], 7 + skin.shape[1]), np.float32)
    vertices[:, :3] = corners.reshape(-1, 3)
    vertices[:, 4:7] = normals
    vertices[:, 7:] = skin
    vertices += 0.0  # there is but one zero where bytes are compared, which is much faster
    rows = vertices.view(np.dtype((np.void, vertices.itemsize * vertices.shape[1]))).ravel()
    _, first, indices = np.unique(rows, return_index=True, return_inverse=True)
    return Geometry(vertices[first], indices.reshape(-1, 3).astype(np.int32))


_made: WeakValueDictionary[bytes, Geometry] = WeakValueDictionary()


def shared_geometry(mesh: TriangleMesh) -> Geometry:
    """The same as `from_mesh`, made once for as long as anything holds it: microseconds per triangle, in any thread."""
    geometry = _made.get(mesh.digest)
    if geometry is None:
        geometry = _made[mesh.digest] = from_mesh(mesh)
    return geometry


def _skin(mesh: TriangleMesh) -> Array:
    """What each corner has beside place and normal, (3 T, 0, 2 or 3)."""
    if mesh.tints is not None:
        return mesh.tints.reshape(-1, 3) / 255.0
    if mesh.places is not None:
        return mesh.places[mesh.triangles.ravel()]
    return np.zeros((3 * len(mesh.triangles), 0))


def _smooth(triangles: NDArray[np.int64], areas: Array, facing: Array) -> Array:
    """For each corner, the area-weighted sum over the triangles at the same vertex that face nearly the same way.

    So many pairs of corners at once as memory is granted for; and where a vertex is the tip of a crowd of triangles,
    which would all have to be compared with each other, each of them faces where it faces.
    """
    corner_vertex = triangles.ravel()
    by_vertex = np.argsort(corner_vertex, kind="stable")
    counts = np.bincount(corner_vertex)
    first = np.cumsum(counts) - counts
    crowded = counts > MOST_AROUND
    summed = np.where(crowded[corner_vertex][:, None], areas[np.arange(len(corner_vertex)) // 3], 0.0)
    # All pairs (corner, corner of the same vertex): each corner once per corner of its vertex.
    partners = np.where(crowded, 0, counts)[corner_vertex]
    ends = np.cumsum(partners)
    start = 0
    while start < len(corner_vertex):
        before = ends[start] - partners[start]
        stop = max(start + 1, int(np.searchsorted(ends, before + _PAIRS_AT_ONCE, "right")))
        some = partners[start:stop]
        corner = np.repeat(np.arange(start, stop), some)
        nth = np.arange(len(corner)) - np.repeat(ends[start:stop] - some - before, some)
        partner = by_vertex[first[corner_vertex[corner]] + nth]
        near = (facing[corner // 3] * facing[partner // 3]).sum(axis=1) >= CREASE
        into, share = corner[near] - start, areas[partner[near] // 3]
        for axis in range(3):
            summed[start:stop, axis] += np.bincount(into, share[:, axis], stop - start)
        start = stop
    lengths = np.linalg.norm(summed, axis=1, keepdims=True)
    normals: Array = np.where(lengths > 0, summed / np.where(lengths > 0, lengths, 1), np.array([0.0, 0.0, 1.0]))
    return normals
