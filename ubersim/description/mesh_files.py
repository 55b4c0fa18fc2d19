"""Puts the contents of mesh files into a document."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.mesh_formats import read_obj, read_stl
from ubersim.description.mesh_library import FORMATS as COLORED
from ubersim.description.mesh_library import PaintedMesh, joined, load_meshes
from ubersim.description.parse_context import line_of, path_of
from ubersim.errors import Problem
from ubersim.files import read_file
from ubersim.geometry import Array

FORMATS = {".stl": read_stl, ".obj": read_obj}
_COLORED_OBJ = re.compile(rb"^(mtllib|v([ \t]+[^\s#]+){6,7}[ \t\r]*$)", re.MULTILINE)
"""It names a file of materials, or has colours behind the places of its corners."""


def inline_meshes(root: Element, folder: Path) -> list[Problem]:
    """Replaces every `File` of a `Mesh` by what is in the file, on one line; what is wrong with that."""
    files = [file for mesh in root.iter("Mesh") for file in mesh.iterchildren("File")]
    return [problem for file in files if (problem := _inline(file, folder)) is not None]


def _inline(file: Element, folder: Path) -> Problem | None:
    name = (file.text or "").strip()
    mesh = file.getparent()
    assert mesh is not None
    if len(list(mesh.iterchildren("File"))) > 1 or list(mesh.iterchildren("Vertices", "Triangles")):
        return Problem(
            line_of(file), path_of(file), "stands beside another File, or Vertices or Triangles; one is enough"
        )
    try:
        pieces = _pieces(folder / name, in_visual(mesh))
    except OSError as error:
        return Problem(line_of(file), path_of(file), f"{name!r} cannot be read: {error.strerror}")
    except ValueError as error:
        return Problem(line_of(file), path_of(file), f"{name!r} cannot be understood: {error}")
    if pieces is None:
        known = ", ".join(dict.fromkeys((*FORMATS, *COLORED)))
        return Problem(line_of(file), path_of(file), f"{name!r} is no mesh file; known are {known}")
    for number, piece in enumerate(pieces[1:], start=2):  # what has a texture of its own is a mesh of its own
        copied = deepcopy(mesh)
        copied.set("name", f"{mesh.get('name', '')[:60]}_{number}")
        copied.tail = None
        _fill(next(copied.iterchildren("File")), piece)
        mesh.addnext(copied)
    _fill(file, pieces[0])
    return None


def in_visual(mesh: Element) -> bool:
    """Whether a mesh is to be seen only; then it brings its colours along."""
    parent = mesh.getparent()
    return parent is not None and parent.tag == "Visual"


def _pieces(path: Path, colored: bool) -> list[PaintedMesh] | None:
    """What is in a file, with its colours if they are wanted; None if nobody knows its format."""
    suffix = path.suffix.lower()
    data = read_file(path) if suffix in FORMATS else b""
    if suffix in FORMATS and not (colored and suffix == ".obj" and _COLORED_OBJ.search(data)):
        vertices, triangles = FORMATS[suffix](data)
        return [PaintedMesh(vertices, triangles)]
    if suffix not in COLORED:
        return None
    read_file(path)  # too large a file is refused in the same words
    found = load_meshes(path)
    return found if colored else [joined([replace(piece, texture="") for piece in found])]


def _fill(file: Element, mesh: PaintedMesh) -> None:
    """The numbers instead of the file's name."""
    parts = {"Vertices": _numbers(mesh.vertices), "Triangles": " ".join(map(str, mesh.triangles.ravel()))}
    if mesh.texture and mesh.places is not None:
        parts |= {"Texture": mesh.texture, "TexturePoints": _numbers(mesh.places)}
    elif mesh.face_colors is not None:
        parts["FaceColors"] = " ".join(map(str, mesh.face_colors.ravel()))
    elif mesh.vertex_colors is not None:
        parts["VertexColors"] = " ".join(map(str, mesh.vertex_colors.ravel()))
    owner, tail, last = file.getparent(), file.tail, file
    file.tag, file.text, file.tail = "Vertices", parts.pop("Vertices"), None
    for tag, text in parts.items():
        element = etree.Element(tag)
        element.text = text
        last.addnext(element)
        last = element
    last.tail = tail
    if len(parts) > 1 and owner is not None and owner.find("Color") is None:
        owner.append(_white())  # which leaves the file's colours as they are


def _white() -> Element:
    color = etree.Element("Color")
    for part in "rgb":
        etree.SubElement(color, part).text = "1"
    return color


def _numbers(values: Array) -> str:
    return " ".join(f"{value:.9g}" for value in values.ravel())
