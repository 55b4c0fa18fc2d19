"""Mesh files are put into the document, so that a client can send it."""

import struct
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import AT_ORIGIN, ball, body, robot
from ubersim.components.solids.mesh import Mesh
from ubersim.description import expand, load_robot, load_world, read_robot
from ubersim.description.mesh_formats import read_obj, read_stl
from ubersim.errors import DescriptionError

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
TRIANGLES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def binary_stl(header: bytes = b"solid but binary") -> bytes:
    facets = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[list(triangle)].ravel(), 0) for triangle in TRIANGLES)
    return header.ljust(80, b"\0") + struct.pack("<I", len(TRIANGLES)) + facets


def text_stl() -> bytes:
    lines = ["solid corner"]
    for triangle in TRIANGLES:
        vertices = "\n".join(f"   vertex {x} {y:e} {z}" for x, y, z in CORNERS[list(triangle)])
        lines.append(f" facet normal 0 0 0\n  outer loop\n{vertices}\n  endloop\n endfacet")
    return "\n".join([*lines, "endsolid corner"]).encode()


OBJ = b"""# a corner
o corner
v 0 0 0
v 1 0 0
v 0 1 0 1.0
v 0 0 1
vn 0 0 1
f 1/1/1 3//1 2
f -4 -3 -1  # counted from the end
f 1 4 3
f 2 3 4
"""
FILES = {"a.stl": binary_stl(), "b.STL": text_stl(), "c.obj": OBJ}


def mesh(file: str) -> str:
    return (
        f'<Mesh name="m"><Mass>2</Mass>{AT_ORIGIN}<Material>Wood</Material><Scale>0.5</Scale><File>{file}</File></Mesh>'
    )


@pytest.mark.parametrize("name", FILES)
def test_the_same_tetrahedron_from_every_format(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    path = tmp_path / "robot.xml"
    path.write_text(robot(body(mesh(name))))
    found = load_robot(path)
    solid = found.bodies[0].solids[0]
    assert isinstance(solid, Mesh)
    assert len(solid.vertex_array) == 4 and len(solid.triangle_array) == 4
    assert solid.volume == pytest.approx(1 / 48)
    np.testing.assert_allclose(solid.mass_properties().center, [0.125] * 3)
    # What a client sends needs no file any more.
    assert read_robot(found.source_text) == found
    assert read_robot(expand(path.read_text(), tmp_path)) == found


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(binary_stl())
    text = robot(f"\n<!-- two\nlines -->\n{body(mesh('a.stl'))}\n<Bodi/>")
    with pytest.raises(DescriptionError, match=r"x:5: .*unknown element Bodi"):
        read_robot(expand(text, tmp_path), source="x")


def test_a_document_without_mesh_files_stays_as_it_is(tmp_path: Path) -> None:
    text = robot(body('<Sphere name="s"  ><!-- odd   spacing --></Sphere>'))
    assert expand(text, tmp_path) == text
    assert expand(text.encode(), tmp_path) == text


def test_worlds_have_meshes_too(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(binary_stl())
    (tmp_path / "world.xml").write_text(
        f"<World><Static>{mesh('a.stl').replace('<Mass>2</Mass>', '')}</Static></World>"
    )
    assert isinstance(load_world(tmp_path / "world.xml").static[0], Mesh)


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("a.blend", b"", "'a.blend' is no mesh file; known are .stl, .obj"),
        ("a.stl", None, "'a.stl' cannot be read: No such file or directory"),
        ("a.stl", b"nonsense", "neither a text STL"),
        ("a.stl", binary_stl()[:-1], "neither a text STL|0 corners"),
        ("a.stl", b"solid empty\nendsolid", "it has 0 corners"),
        ("a.stl", b"solid x\nvertex 1 2 3\nvertex 1 2 x\nvertex 0 0 0\n", "a vertex is not three numbers"),
        ("a.stl", b"solid x\nvertex 1 2 3\nvertex 1 2 nan\nvertex 0 0 0\n", "a vertex is not finite"),
        ("a.obj", b"v 0 0 0\nf 1 1 2\n", "line 2: vertex 2 does not exist"),
        ("a.obj", b"v 0 0 0\nf 1 1\n", "line 2: a face has three corners or more"),
        ("a.obj", b"v 0 0 0\nf a b c\n", "line 2: 'a' is no corner of a face"),
        ("a.obj", b"v 0 0\nf 1 1 1\n", "a vertex is not three numbers"),
        ("a.obj", b"", "it has 0 triangles"),
    ],
)
def test_files_that_cannot_be_used(file: str, content: bytes | None, reason: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(DescriptionError, match=r"x:1: Body\[B\]/Mesh\[m\]/File: ") as refused:
        expand(robot(body(mesh(file))), tmp_path, source="x")
    assert any(option in str(refused.value) for option in reason.split("|"))


def test_a_file_beside_vertices_is_one_too_many(tmp_path: Path) -> None:
    text = robot(body(mesh("a.stl").replace("<File>", "<Vertices>0 0 0</Vertices><File>")))
    with pytest.raises(DescriptionError, match="one is enough"):
        expand(text, tmp_path)


def test_corners_in_one_place_become_one_vertex_and_faces_become_fans() -> None:
    assert len(read_stl(binary_stl())[0]) == 4
    vertices, triangles = read_obj(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    assert len(vertices) == 4
    np.testing.assert_array_equal(triangles, [[0, 1, 2], [0, 2, 3]])


def test_a_file_to_be_seen_brings_its_colours(tmp_path: Path) -> None:
    (tmp_path / "c.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "c.obj").write_text(f"mtllib c.mtl\n{corners}usemtl red\nf 1 3 2\nusemtl blue\nf 1 2 4\n")
    seen = f'<Visual><Mesh name="m">{AT_ORIGIN}<File>c.obj</File></Mesh></Visual>'
    path = tmp_path / "robot.xml"
    path.write_text(robot(body(ball("a") + seen)))
    (found,) = load_robot(path).bodies[0].visual
    assert isinstance(found, Mesh) and sorted(zip(*[iter(found.face_colors)] * 3, strict=True)) == [
        (0, 0, 255),
        (255, 0, 0),
    ]


def test_an_unknown_format_is_told(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(robot(body(mesh("a.blend"))))
    with pytest.raises(DescriptionError, match=r"'a.blend' is no mesh file; known are .stl, .obj, .dae, .glb"):
        load_robot(path)
