"""Meshes of many colours: in documents, in cameras, in logs, on the live page."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.documents import ball, body, robot
from ubersim.description import read_robot
from ubersim.description.texture import picture_size, picture_text
from ubersim.errors import DescriptionError
from ubersim.geometry import rotation_xyz
from ubersim.png import encode_png
from ubersim.protocol.to_json import to_json
from ubersim.render import Camera, GroundPlane, InlineRenderer, Job, Lights, Scene, Shape, Sky, TriangleMesh
from ubersim.render.glb import glb
from ubersim.render.textures import pixels
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

WHITE = Lights(sources=(), above=(1.0, 1.0, 1.0), below=(1.0, 1.0, 1.0))
QUAD = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=float)
HALVES = np.array([[0, 1, 2], [0, 2, 3]])
FOUR = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]], np.uint8)
"""Red and green above blue and white."""
TEXTURE = picture_text(encode_png(np.repeat(np.repeat(FOUR, 8, axis=0), 8, axis=1)))
CORNERS = "-1 -1 0 1 -1 0 1 1 0 -1 1 0"


def sheet(colors: str, name: str = "sheet") -> str:
    place = "<Position><x>0</x><y>0</y><z>1</z></Position>"
    form = f"<Vertices>{CORNERS}</Vertices><Triangles>0 1 2 0 2 3</Triangles>"
    white = "<Color><r>1</r><g>1</g><b>1</b></Color>"
    return f'<Visual><Mesh name="{name}">{place}{form}{white}{colors}</Mesh></Visual>'


def textured(points: str = "0 0 1 0 1 1 0 1", texture: str = TEXTURE) -> str:
    return sheet(f"<Texture>{texture}</Texture><TexturePoints>{points}</TexturePoints>")


def seen(mesh: TriangleMesh) -> NDArray[np.int64]:
    """Red, green and blue of the four quarters of a quad that fills the picture, from the upper left."""
    scene = Scene((Shape("mesh", color=(1.0, 1.0, 1.0), mesh=mesh),), None, Sky(), WHITE)
    camera = Camera(width=64, height=64, fov=np.pi / 2, shadows=False, samples=1)
    down = rotation_xyz((-np.pi / 2, 0, 0))
    job = Job(camera, np.array([0.0, 0.0, 1.0]), down, np.zeros((0, 3)), np.zeros((0, 3, 3)))
    with InlineRenderer() as renderer:
        renderer.set_scene(scene)
        picture = renderer.collect(renderer.submit(job))
    return picture[[16, 16, 48, 48], [16, 48, 16, 48], 2::-1].astype(np.int64)


def test_a_texture_is_seen_the_right_way_up() -> None:
    places = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    found = seen(TriangleMesh(QUAD, HALVES, places=places, texture=TEXTURE))
    assert np.abs(found - FOUR.reshape(-1, 3)).max() <= 2


def test_faces_have_their_own_colours() -> None:
    tints = np.array([[[255, 128, 0]] * 3, [[0, 0, 200]] * 3], np.uint8)
    found = seen(TriangleMesh(QUAD, HALVES, tints=tints))
    assert np.abs(found[3] - [255, 128, 0]).max() <= 1  # below the diagonal
    assert np.abs(found[0] - [0, 0, 200]).max() <= 1


def test_a_damaged_texture_is_drawn_as_none() -> None:
    whole = encode_png(np.zeros((4, 4, 3), np.uint8))
    assert pixels(picture_text(whole[:-30])).tolist() == [[[255, 255, 255]]]


def test_documents_carry_colours_to_the_scene() -> None:
    faces = sheet("<FaceColors>255 0 0 0 0 255</FaceColors>")
    corners = sheet("<VertexColors>1 2 3 4 5 6 7 8 9 10 11 12</VertexColors>")
    meshes = []
    for colors in (faces, corners, textured()):
        with Simulation() as simulation:
            simulation.spawn(robot(body(ball("a") + colors)))
            meshes += [shape.mesh for shape in scene_of(simulation).shapes if shape.mesh is not None]
            told = json.loads(json.dumps(to_json(scene_of(simulation))))
    assert meshes[0].tints is not None and meshes[1].tints is not None
    assert meshes[0].tints.tolist() == [[[255, 0, 0]] * 3, [[0, 0, 255]] * 3]
    assert meshes[1].tints[1].tolist() == [[1, 2, 3], [7, 8, 9], [10, 11, 12]]
    assert meshes[2].texture == TEXTURE == told["shapes"][-1]["mesh"]["texture"]
    assert len(set(meshes)) == 3, "meshes of other colours are others"


def jpeg_header(width: int, height: int) -> bytes:
    frame = struct.pack(">BHHB", 8, height, width, 3) + bytes(9)
    return b"\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc2" + struct.pack(">H", 2 + len(frame)) + frame


def test_the_size_of_a_picture_is_known_by_its_header() -> None:
    assert picture_size(encode_png(np.zeros((3, 5, 3), np.uint8))) == (5, 3)
    assert picture_size(jpeg_header(640, 480)) == (640, 480)


@pytest.mark.parametrize(
    ("colors", "message"),
    [
        (sheet("<FaceColors>1 2 3</FaceColors>"), "holds 1 colours; there are 2"),
        (sheet("<FaceColors>1 2 256 1 2 3</FaceColors>"), "'256' is not a whole number from 0 to 255"),
        (textured(points="0 0 1 1"), "holds 2 points for 4 vertices"),
        (textured(texture="no base64!"), "it is not base64"),
        (textured(texture=picture_text(b"GIF89a" * 9)), "neither a PNG nor a JPEG"),
        (textured(texture=picture_text(jpeg_header(60000, 60000))), "60000 x 60000 pixels"),
        (sheet(f"<Texture>{TEXTURE}</Texture>"), "needs TexturePoints"),
    ],
)
def test_colours_that_do_not_fit_are_refused(colors: str, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read_robot(robot(body(ball("a") + colors)))


def test_a_model_for_other_viewers_has_colours_and_texture() -> None:
    places = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    plain = TriangleMesh(QUAD, HALVES, places=places, texture=TEXTURE)
    data = glb(plain, (1.0, 0.5, 0.0), turned=True)
    magic, version, length, head_length = struct.unpack_from("<4sIII", data)
    head = json.loads(data[20 : 20 + head_length])
    assert (magic, version, length) == (b"glTF", 2, len(data))
    assert head["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] == {"index": 0}
    assert "COLOR_0" in json.dumps(json.loads(_head(glb(replace_tints(plain), (1.0, 1.0, 1.0)))))


def replace_tints(mesh: TriangleMesh) -> TriangleMesh:
    return replace(mesh, texture="", places=None, tints=np.full((2, 3, 3), 100, np.uint8))


def _head(data: bytes) -> bytes:
    return data[20 : 20 + struct.unpack_from("<I", data, 12)[0]]


def test_the_ground_under_a_textured_thing_keeps_its_shadow_maps() -> None:
    """A texture has a unit of its own: the maps that programs look shadows up in stay where they are."""
    places = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    plain = Shape("mesh", color=(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.5), mesh=TriangleMesh(QUAD * 0.2, HALVES))
    mesh = TriangleMesh(QUAD * 0.2, HALVES, places=places, texture=TEXTURE)
    camera = Camera(width=64, height=64, fov=np.pi / 2)
    down = rotation_xyz((-np.pi / 2, 0, 0))
    job = Job(camera, np.array([0.0, 0.0, 2.0]), down, np.zeros((0, 3)), np.zeros((0, 3, 3)))
    pictures = []
    with InlineRenderer() as renderer:
        for shape in (plain, replace(plain, mesh=mesh)):
            renderer.set_scene(Scene((shape,), GroundPlane()))
            pictures.append(renderer.collect(renderer.submit(job)).astype(int))
    differs = np.abs(pictures[0] - pictures[1]).max(axis=2) > 0
    assert differs.any() and not differs[:20].any() and not differs[-20:].any()
