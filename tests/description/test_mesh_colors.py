"""Colours of mesh files as their formats mean them: a triangle has its own, and no seam mixes two."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from PIL import Image
from trimesh.visual.material import PBRMaterial

from tests.description.test_mesh_library import looking, saved, textured
from ubersim.components.solids.mesh import Mesh
from ubersim.description import load_robot
from ubersim.description.mesh_library import PaintedMesh, load_meshes
from ubersim.importers.decimation import coarser
from ubersim.render.glb import glb
from ubersim.render.shapes import TriangleMesh

SIDES = np.array(
    [[230, 30, 30], [30, 200, 30], [30, 60, 230], [240, 220, 20], [20, 210, 220], [220, 40, 210]], np.uint8
)
"""Of a cube: towards -x, +x, -y, +y, -z, +z."""
HALF_LIGHT = 0.21404
"""The amount of light that a screen shows as 128 of 255, by the curve of sRGB."""


def sides(vertices: NDArray[np.float64], triangles: NDArray[Any]) -> NDArray[np.uint8]:
    """What the triangles of a cube, or of one whose corners went together, ought to be coloured like."""
    middles = vertices[triangles].mean(axis=1)
    axis = np.abs(middles).argmax(axis=1)
    colors: NDArray[np.uint8] = SIDES[2 * axis + (middles[np.arange(len(axis)), axis] > 0)]
    return colors


def torn(subdivided: int = 0) -> trimesh.Trimesh:
    """A cube whose triangles share no corners, each of them in the colour of its side."""
    made = trimesh.creation.box()
    for _ in range(subdivided):
        made = made.subdivide()
    colors = np.repeat(sides(made.vertices, made.faces), 3, axis=0)
    corners = np.arange(3 * len(made.faces)).reshape(-1, 3)
    return trimesh.Trimesh(made.vertices[made.faces].reshape(-1, 3), corners, vertex_colors=colors, process=False)


def shown(mesh: PaintedMesh) -> NDArray[np.uint8]:
    """The colours of each triangle's three corners, (T, 3, 3)."""
    if mesh.face_colors is not None:
        return np.repeat(mesh.face_colors[:, None], 3, axis=1)
    assert mesh.vertex_colors is not None
    return mesh.vertex_colors[mesh.triangles]


@pytest.mark.parametrize("name", ["torn.ply", "torn.obj"])
def test_each_side_keeps_its_colour_up_to_the_edge(tmp_path: Path, name: str) -> None:
    """In the file a corner of the cube is there once per triangle; it becomes one again, so that edges are known."""
    torn().export(str(tmp_path / name))
    (found,) = load_meshes(tmp_path / name)
    assert len(found.vertices) == 8
    assert (shown(found) == sides(found.vertices, found.triangles)[:, None]).all()


def test_corners_with_more_than_one_colour_stay_apart_where_triangles_have_several(tmp_path: Path) -> None:
    made = torn()
    made.visual.vertex_colors[0] = (1, 2, 3, 255)  # now one triangle is not of one colour
    made.export(str(tmp_path / "torn.ply"))
    (found,) = load_meshes(tmp_path / "torn.ply")
    colors = shown(found)
    assert (colors == (1, 2, 3)).all(axis=2).sum() == 1
    assert ((colors == sides(found.vertices, found.triangles)[:, None]).all(axis=2)).sum() == 35


def test_a_document_has_the_colours_of_an_obj_file_without_materials(tmp_path: Path) -> None:
    torn().export(str(tmp_path / "torn.obj"))
    assert "mtllib" not in (tmp_path / "torn.obj").read_text()
    (tmp_path / "robot.xml").write_text(looking("torn.obj"))
    (mesh,) = load_robot(tmp_path / "robot.xml").bodies[0].visual
    assert isinstance(mesh, Mesh)
    assert (np.array(mesh.face_colors).reshape(-1, 3) == sides(mesh.vertex_array, mesh.triangle_array)).all()
    assert mesh.color == (1.0, 1.0, 1.0)  # a factor


def test_a_document_may_tint_a_file(tmp_path: Path) -> None:
    torn().export(str(tmp_path / "torn.obj"))
    text = looking("torn.obj").replace("<File>", "<Color><r>0.5</r><g>1</g><b>1</b></Color><File>")
    (tmp_path / "robot.xml").write_text(text)
    (mesh,) = load_robot(tmp_path / "robot.xml").bodies[0].visual
    assert mesh.color == (0.5, 1.0, 1.0)


def test_colours_of_gltf_are_amounts_of_light(tmp_path: Path) -> None:
    """Of materials, of corners, and of both, which are multiplied."""
    plain, both = trimesh.creation.box(), trimesh.creation.box()
    material = PBRMaterial(baseColorFactor=[HALF_LIGHT, 1.0, 0.0, 1.0])
    plain.visual = trimesh.visual.TextureVisuals(material=material)
    (found,) = load_meshes(saved(tmp_path / "material.glb", plain))
    assert shown(found).reshape(-1, 3).tolist() == [[128, 255, 0]] * 36
    both.visual.vertex_colors = np.tile([HALF_LIGHT, 1.0, 0.0, 1.0], (8, 1))
    (found,) = load_meshes(saved(tmp_path / "corners.glb", both))
    assert shown(found).reshape(-1, 3).tolist() == [[128, 255, 0]] * 36


def test_what_the_page_is_sent_reads_as_it_was(tmp_path: Path) -> None:
    """A material, and colours of corners on it, as most programs write them."""
    made = trimesh.creation.box()
    triangles = np.asarray(made.faces, dtype=np.int64)
    colors = sides(np.asarray(made.vertices), triangles)
    tints = np.repeat(colors[:, None], 3, axis=1)
    (tmp_path / "ours.glb").write_bytes(glb(TriangleMesh(made.vertices, triangles, tints=tints), (1.0, 1.0, 1.0)))
    (found,) = load_meshes(tmp_path / "ours.glb")
    off = shown(found).astype(int) - sides(found.vertices, found.triangles)[:, None]
    assert np.abs(off).max() <= 10  # its curve is the power 2.2, that of sRGB is not quite; and darkness has few steps


def test_a_material_of_gltf_that_says_nothing_is_white(tmp_path: Path) -> None:
    made = trimesh.creation.box()
    made.visual = trimesh.visual.TextureVisuals(material=PBRMaterial(metallicFactor=0.0))
    (found,) = load_meshes(saved(tmp_path / "white.glb", made))
    assert (shown(found) == 255).all()


def picture(mesh: PaintedMesh) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(base64.b64decode(mesh.texture))) as opened:
        return np.asarray(opened.convert("RGB"))


def test_a_picture_is_tinted_by_its_material(tmp_path: Path) -> None:
    made = textured(0.0)
    made.visual.material.baseColorFactor = [HALF_LIGHT, 1.0, 0.0, 1.0]
    (found,) = load_meshes(saved(tmp_path / "tinted.glb", made))
    assert (picture(found) == (5, 200, 0)).all()  # of (10, 200, 30)


def test_the_colours_of_a_palette_are_not_mixed(tmp_path: Path) -> None:
    """Pictures of a few pixels, in each of which whole parts of a robot have their place."""
    made = textured(0.0)
    made.visual.material.baseColorTexture = Image.fromarray(SIDES[None])
    (found,) = load_meshes(saved(tmp_path / "palette.glb", made))
    assert (picture(found) == SIDES[None]).all()


def test_photographs_are_kept_small(tmp_path: Path) -> None:
    made = textured(0.0)
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    made.visual.material.baseColorTexture = Image.fromarray(noise)
    (found,) = load_meshes(saved(tmp_path / "photograph.glb", made))
    assert base64.b64decode(found.texture).startswith(b"\xff\xd8")


def test_fewer_triangles_do_not_mix_colours(tmp_path: Path) -> None:
    (found,) = load_meshes(saved(tmp_path / "torn.glb", torn(subdivided=4)))
    few = coarser(found, 400)
    assert 100 < len(few.triangles) <= 400
    known = {tuple(color) for color in shown(found)[:, 0].tolist()}
    assert len(known) == 6
    assert {tuple(color) for color in shown(few).reshape(-1, 3).tolist()} == known
