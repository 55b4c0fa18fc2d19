"""Meshes with fewer triangles: still of the same shape, with colours and textures where they were."""

from __future__ import annotations

import base64
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from ubersim.description.mesh_library import PaintedMesh
from ubersim.importers.decimation import coarser

MOST = 500


def ball(rings: int = 40) -> PaintedMesh:
    """Of radius 1, the upper half red and the lower one blue, in two ways; its texture is wound once around it."""
    heights, turns = np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
    grid = np.array([(np.sin(h) * np.cos(t), np.sin(h) * np.sin(t), np.cos(h)) for h in heights for t in turns])
    places = np.array([(t / (2 * np.pi), h / np.pi) for h in heights for t in turns])
    row = 2 * rings
    corner = np.arange(rings * row).reshape(rings, row)
    right = np.roll(corner, -1, axis=1)
    squares = np.stack([corner, corner + row, right + row, right], axis=-1).reshape(-1, 4)
    triangles = np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]])
    upper = grid[triangles][:, :, 2].mean(axis=1) > 0
    return PaintedMesh(
        grid, triangles, _painted(upper), _painted(grid[:, 2] > 0), base64.b64encode(b"x").decode(), places
    )


def _painted(red: NDArray[np.bool_]) -> NDArray[np.uint8]:
    colors: NDArray[np.uint8] = np.array([(0, 0, 255), (255, 0, 0)], dtype=np.uint8)[red.astype(int)]
    return colors


def volume(mesh: PaintedMesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_a_mesh_that_is_small_enough_is_left_alone() -> None:
    mesh = ball(4)
    assert coarser(mesh, len(mesh.triangles)) is mesh


@pytest.mark.parametrize("textured", [False, True])
def test_a_ball_is_a_ball_of_fewer_triangles(textured: bool) -> None:
    fine = ball()
    if not textured:
        fine = PaintedMesh(fine.vertices, fine.triangles, fine.face_colors)
    mesh = coarser(fine, MOST)
    assert MOST / 4 < len(mesh.triangles) <= MOST < len(fine.triangles)
    assert abs(volume(mesh)) == pytest.approx(4 / 3 * np.pi, rel=0.1)
    assert np.linalg.norm(mesh.vertices, axis=1) == pytest.approx(1.0, abs=0.1)
    corners = mesh.triangles
    assert (corners[:, 0] != corners[:, 1]).all() and (corners[:, 1] != corners[:, 2]).all()
    height = mesh.vertices[corners][:, :, 2].mean(axis=1)
    assert mesh.face_colors is not None
    assert (mesh.face_colors[height > 0.2] == (255, 0, 0)).all() and (
        mesh.face_colors[height < -0.2] == (0, 0, 255)
    ).all()


def test_textures_and_colours_of_corners_stay_where_they_are() -> None:
    mesh = coarser(ball(), MOST)
    assert mesh.places is not None and mesh.vertex_colors is not None and mesh.texture == ball().texture
    assert mesh.places[:, 1] == pytest.approx(np.arccos(np.clip(mesh.vertices[:, 2], -1, 1)) / np.pi, abs=0.05)
    wide = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 1]) > 0.5
    turns = np.arctan2(mesh.vertices[wide, 1], mesh.vertices[wide, 0]) / (2 * np.pi)
    gap = mesh.places[wide, 0] - turns
    assert gap - np.rint(gap) == pytest.approx(0.0, abs=0.05), "corners on both sides of the seam are not mixed"
    assert (mesh.vertex_colors[mesh.vertices[:, 2] > 0.2] == (255, 0, 0)).all()


def test_a_texture_that_is_laid_many_times_costs_no_triangles() -> None:
    fine = ball()
    assert fine.places is not None
    assert len(coarser(replace(fine, places=40 * fine.places), MOST).triangles) <= MOST
