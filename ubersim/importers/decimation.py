"""Meshes to be seen with no more triangles than they need: corners that lie close together become one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ubersim.description.mesh_colors import of_triangles
from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Array

MOST_TRIANGLES = 8_000
"""Of one mesh; its file may have any number."""
_COARSEST, _FINEST = 4, 4096
"""Cells along the longest edge of a mesh."""
_TRIES = 12


def coarser(mesh: PaintedMesh, most: int = MOST_TRIANGLES) -> PaintedMesh:
    """The mesh, or one like it with at most so many triangles."""
    if len(mesh.triangles) <= most:
        return mesh
    if mesh.vertex_colors is not None and (faces := of_triangles(mesh.vertex_colors, mesh.triangles)) is not None:
        mesh = replace(mesh, vertex_colors=None, face_colors=faces)  # corners of different colours would be mixed
    size = float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    low, high, best = size / _FINEST, size / _COARSEST, _clustered(mesh, size / _COARSEST, 0)
    for _ in range(_TRIES):
        cell = (low * high) ** 0.5
        found = _clustered(mesh, cell, min(max(2, int(size / cell / 4)), 16))
        if len(found.triangles) <= most:
            high, best = cell, found
        else:
            low = cell
        if high / low < 1.2:
            break
    return best


def _clustered(mesh: PaintedMesh, cell: float, patches: int) -> PaintedMesh:
    """All corners in one cell of a grid become their mean; triangles that shrink to nothing go.

    A texture is divided into so many patches along each edge, and corners of different ones stay apart: so its seams
    stay. Fewer patches for larger cells, lest they decide how many triangles are left.
    """
    cells = np.floor((mesh.vertices - mesh.vertices.min(axis=0)) / cell).astype(np.int64)
    keys = (cells << np.array([26, 13, 0])).sum(axis=1)  # one number is sorted faster than three
    if mesh.places is not None and patches:
        patch = np.floor(mesh.places * patches).astype(np.int64) & 0xFFF
        keys += (patch << np.array([51, 39])).sum(axis=1)
    _, cluster, counts = np.unique(keys, return_inverse=True, return_counts=True)
    triangles = cluster[mesh.triangles]
    whole = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    vertex_colors = mesh.vertex_colors
    if vertex_colors is not None:
        vertex_colors = _means(vertex_colors.astype(float), cluster, counts).astype(np.uint8)
    return replace(
        mesh,
        vertices=_means(mesh.vertices, cluster, counts),
        triangles=triangles[whole],
        face_colors=None if mesh.face_colors is None else mesh.face_colors[whole],
        vertex_colors=vertex_colors,
        places=None if mesh.places is None else _means(mesh.places, cluster, counts),
    )


def _means(values: Array, cluster: NDArray[np.int64], counts: NDArray[np.int64]) -> Array:
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, cluster, values)
    means: Array = sums / counts[:, None]
    return means
