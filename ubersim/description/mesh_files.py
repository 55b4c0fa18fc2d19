"""Puts the contents of mesh files into a document."""

from __future__ import annotations

from pathlib import Path

from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.mesh_formats import read_obj, read_stl
from ubersim.description.parse_context import line_of, path_of
from ubersim.errors import Problem

LARGEST_FILE = 64 * 1024 * 1024
"""[bytes]"""
FORMATS = {".stl": read_stl, ".obj": read_obj}


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
    read = FORMATS.get(Path(name).suffix.lower())
    if read is None:
        return Problem(line_of(file), path_of(file), f"{name!r} is no mesh file; known are {', '.join(FORMATS)}")
    try:
        path = folder / name
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it has {path.stat().st_size} bytes; allowed are {LARGEST_FILE}")
        vertices, triangles = read(path.read_bytes())
    except OSError as error:
        return Problem(line_of(file), path_of(file), f"{name!r} cannot be read: {error.strerror}")
    except ValueError as error:
        return Problem(line_of(file), path_of(file), f"{name!r} cannot be understood: {error}")
    corners = etree.Element("Triangles")
    corners.text = " ".join(str(index) for index in triangles.ravel())
    file.tag, file.text = "Vertices", " ".join(f"{value:.9g}" for value in vertices.ravel())
    corners.tail, file.tail = file.tail, None
    file.addnext(corners)
    return None
