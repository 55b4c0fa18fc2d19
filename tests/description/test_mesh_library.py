"""Mesh files with colours of all kinds, and what is wrong with some."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from tests.helpers.documents import vector
from tests.helpers.sensor_stage import sphere
from ubersim.components.solids.mesh import Mesh
from ubersim.description import load_robot
from ubersim.description.mesh_library import load_meshes
from ubersim.errors import DescriptionError

RED, BLUE = (255, 0, 0, 255), (0, 0, 255, 255)


def cube(color: tuple[int, ...] | None = None, at: float = 0.0, of: str = "vertex") -> trimesh.Trimesh:
    made = trimesh.creation.box()
    made.apply_translation((at, 0, 0))
    if color is not None and of == "vertex":
        made.visual.vertex_colors = np.tile(color, (len(made.vertices), 1))
    elif color is not None:
        made.visual.face_colors = np.tile(color, (len(made.faces), 1))
    return made


def textured(at: float) -> trimesh.Trimesh:
    made = cube(at=at)
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.new("RGB", (2, 2), (10, 200, 30)))
    made.visual = trimesh.visual.TextureVisuals(uv=np.abs(made.vertices[:, 1:]), material=material)
    return made


def looking(file: str) -> str:
    """A ball that is seen as what is in a file."""
    mesh = f"<Mesh name='m'>{vector('Position', 0, 0, 0)}<File>{file}</File></Mesh>"
    return (
        "<Client><CSettings><Name>R</Name></CSettings><Entity><RigidBodies><Body name='B'>"
        f"{sphere('s')}<Visual>{mesh}</Visual></Body></RigidBodies></Entity></Client>"
    )


def saved(path: Path, *pieces: trimesh.Trimesh) -> Path:
    trimesh.Scene(list(pieces)).export(str(path))
    return path


def test_colours_of_corners_stay_with_them(tmp_path: Path) -> None:
    (found,) = load_meshes(saved(tmp_path / "two.glb", cube(RED), cube(BLUE, 3)))
    assert found.vertex_colors is not None and found.face_colors is None
    left = found.vertices[:, 0] < 1.5
    assert (found.vertex_colors[left] == RED[:3]).all() and (found.vertex_colors[~left] == BLUE[:3]).all()


def test_where_not_all_have_them_triangles_are_coloured(tmp_path: Path) -> None:
    path = tmp_path / "faces.ply"
    cube(RED, of="face").export(str(path))
    (faces,) = load_meshes(path)
    assert faces.face_colors is not None and (faces.face_colors == RED[:3]).all()
    (mixed,) = load_meshes(saved(tmp_path / "mixed.glb", cube(RED), cube(None, 3)))
    assert mixed.face_colors is not None
    middle = mixed.vertices[mixed.triangles][:, :, 0].mean(axis=1)
    assert (mixed.face_colors[middle < 1.5] == RED[:3]).all() and not (mixed.face_colors[middle > 1.5] == RED[:3]).all()


def test_what_has_a_texture_is_a_mesh_of_its_own(tmp_path: Path) -> None:
    """In a document, too: the file's name stands for all of them."""
    saved(tmp_path / "three.glb", cube(RED), textured(3), textured(6))
    assert [bool(found.texture) for found in load_meshes(tmp_path / "three.glb")] == [False, True, True]
    (tmp_path / "robot.xml").write_text(looking("three.glb"))
    meshes = [solid for solid in load_robot(tmp_path / "robot.xml").bodies[0].visual if isinstance(solid, Mesh)]
    assert sorted(mesh.name for mesh in meshes) == ["m", "m_2", "m_3"]
    assert [bool(mesh.texture) for mesh in meshes].count(True) == 2


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("empty.obj", "v 0 0 0\n", "Error|there are no triangles"),
        ("torn.glb", "glTF", "Error"),
        ("nowhere.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "there are no triangles"),
        ("endless.off", "OFF 3 1 0\n0 0 0\ninf 0 0\n0 1 0\n3 0 1 2\n", "a vertex is not finite|no triangles"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, name: str, content: str, why: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=why):
        load_meshes(tmp_path / name)


def test_files_outside_of_its_folder_are_none_of_its_business(tmp_path: Path) -> None:
    """What a material names elsewhere is not opened: the mesh comes without it."""
    home = tmp_path / "a" / "b"
    home.mkdir(parents=True)
    (tmp_path / "secret.mtl").write_text("newmtl m\nKd 1 0 0\n")
    (home / "mesh.obj").write_text("mtllib ../../secret.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n")
    try:
        (found,) = load_meshes(home / "mesh.obj")
    except ValueError as error:
        assert "outside of the mesh's folder" in str(error)
    else:
        assert found.face_colors is None or not (found.face_colors == (255, 0, 0)).all()


def test_a_document_says_which_mesh_it_does_not_understand(tmp_path: Path) -> None:
    (tmp_path / "torn.glb").write_text("glTF")
    (tmp_path / "robot.xml").write_text(looking("torn.glb"))
    with pytest.raises(DescriptionError, match=r"'torn\.glb' cannot be understood"):
        load_robot(tmp_path / "robot.xml")
