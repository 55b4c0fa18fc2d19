"""What a mesh collides as: its convex hull, convex pieces, the simplest shape around it, or its triangles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ubersim.components.solids.mesh import Mesh
from ubersim.description.mesh_library import PaintedMesh
from ubersim.geometry import Array, Pose
from ubersim.importers.model import LinkShape
from ubersim.importers.options import ImportOptions
from ubersim.importers.report import ImportReport

HULL_VERTICES = (64, 40, 26, 16, 10)
"""How many corners a hull has: more would cost time in every step, and change little. Fewer, if it has slivers."""
BOX_TRIANGLES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                          [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])  # fmt: skip
"""Of corners that are counted x by x, y by y."""
MOST_PIECES = 16
THINNEST = 1e-3
"""A mesh flatter than this is made so thick [m]."""


def colliding(shape: LinkShape, options: ImportOptions, report: ImportReport, what: str) -> list[LinkShape]:
    """The shapes that take a shape's place in the physics world."""
    if shape.kind != "mesh":
        return [shape]
    corners = np.concatenate([mesh.vertices for mesh in shape.meshes])
    if options.meshes == "primitive":
        return [_primitive(shape, corners)]
    if options.meshes == "trimesh":
        closed, why = _closed(shape, options.repair)
        if closed is not None:
            if why:
                report.changed(shape.line, what, why)
            return [replace(shape, meshes=[closed])]
        report.changed(shape.line, what, f"{why}; it collides as its convex hull")
    if options.meshes == "convex":
        pieces = _pieces(shape)
        report.changed(shape.line, what, f"{len(pieces)} convex pieces")
        return [replace(shape, meshes=[piece]) for piece in pieces]
    return [replace(shape, meshes=[hull(corners)])]


def hull(points: Array) -> PaintedMesh:
    """The convex hull of points, of a bounded number of corners: a solid that documents accept."""
    points = _thickened(points)
    for most in HULL_VERTICES:
        made = _hull(points, most)
        if made is not None and not _trouble(made):
            return made
    low, high = points.min(axis=0), points.max(axis=0)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return PaintedMesh(corners, BOX_TRIANGLES)


def _hull(points: Array, most: int) -> PaintedMesh | None:
    import trimesh

    try:
        made = trimesh.convex.convex_hull(points)
        if len(made.vertices) > most:
            corners = np.asarray(made.vertices)
            farthest = np.unique((corners @ _directions(most).T).argmax(axis=0))
            made = trimesh.convex.convex_hull(_thickened(corners[farthest]))
    except Exception:  # qhull's, of points that are nearly in a plane
        return None
    # As the document will have them, so that what is sound here is sound there.
    vertices = np.array([[float(f"{value:.6g}") for value in corner] for corner in np.asarray(made.vertices)])
    return PaintedMesh(vertices, np.asarray(made.faces, dtype=np.int64))


def _directions(count: int) -> Array:
    """Unit vectors spread evenly (a Fibonacci lattice), and the six along the axes."""
    number = np.arange(count - 6) + 0.5
    height, turn = 1 - 2 * number / (count - 6), np.pi * (1 + 5**0.5) * number
    across = np.sqrt(1 - height**2)
    spread = np.stack([across * np.cos(turn), across * np.sin(turn), height], axis=1)
    return np.concatenate([np.eye(3), -np.eye(3), spread])


def _thickened(points: Array) -> Array:
    """Points that do not all lie in a plane: a flat mesh gets a back."""
    middle = points - points.mean(axis=0)
    axes = np.linalg.svd(middle, full_matrices=False)[2] if len(points) >= 3 else np.eye(3)
    for axis in axes:
        extent = np.ptp(points @ axis)
        if extent < THINNEST:
            points = np.concatenate([points - axis * THINNEST / 2, points + axis * THINNEST / 2])
    return points


def _primitive(shape: LinkShape, corners: Array) -> LinkShape:
    """The smallest of an upright box, a sphere and a turned box around it."""
    import trimesh

    low, high = corners.min(axis=0), corners.max(axis=0)
    size, place = np.maximum(high - low, THINNEST), Pose((low + high) / 2)
    try:
        to_box, extents = trimesh.bounds.oriented_bounds(_thickened(corners))
        if np.prod(extents) < 0.9 * np.prod(size):
            turned = np.linalg.inv(to_box)
            size, place = np.maximum(extents, THINNEST), Pose(turned[:3, 3], turned[:3, :3])
    except Exception:  # qhull, of points that are nearly in a plane: the upright box will do
        pass
    radius = float(np.linalg.norm(corners - (low + high) / 2, axis=1).max())
    if 4 / 3 * np.pi * radius**3 < np.prod(size):
        return replace(shape, kind="sphere", size=(radius,), pose=shape.pose @ Pose((low + high) / 2), meshes=[])
    return replace(shape, kind="box", size=tuple(map(float, size)), pose=shape.pose @ place, meshes=[])


def _closed(shape: LinkShape, repair: bool) -> tuple[PaintedMesh | None, str]:
    """The mesh as one closed surface, mended if wanted, and what was done; or None, and why not."""
    import trimesh

    made = trimesh.util.concatenate(
        [trimesh.Trimesh(mesh.vertices, mesh.triangles, process=True) for mesh in shape.meshes]
    )
    made.merge_vertices(merge_tex=True, merge_norm=True)
    trouble = _trouble(_plain(made))
    if not trouble:
        return _plain(made), ""
    if not repair:
        return None, f"{trouble} (--repair may mend it)"
    made.update_faces(made.nondegenerate_faces() & made.unique_faces())
    made.remove_unreferenced_vertices()
    trimesh.repair.fill_holes(made)
    trimesh.repair.fix_normals(made, multibody=True)
    after = _trouble(_plain(made))
    return (_plain(made), f"mended: {trouble}") if not after else (None, f"it could not be mended: {after}")


def _trouble(made: PaintedMesh) -> str:
    """What a solid of ours would complain about."""
    mesh = Mesh(
        name="mesh",
        position=(0.0, 0.0, 0.0),
        material="any",
        mass=1.0,
        vertices=tuple(made.vertices.ravel().tolist()),
        triangles=tuple(made.triangles.ravel().tolist()),
    )
    return next((flaw.message for flaw in mesh.flaws()), "")


def _plain(made: Any) -> PaintedMesh:
    return PaintedMesh(np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=np.int64))


def _pieces(shape: LinkShape) -> list[PaintedMesh]:
    """Convex pieces that together are nearly the mesh; by coacd."""
    from ubersim.importers.convex import decomposed

    vertices = np.concatenate([mesh.vertices for mesh in shape.meshes])
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in shape.meshes)])
    triangles = np.concatenate([mesh.triangles + first for mesh, first in zip(shape.meshes, offsets, strict=False)])
    return [hull(piece) for piece in decomposed(vertices, triangles, MOST_PIECES)]
