"""Where reading begins: from text or from a file to a robot, a world, materials."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import TypeVar

from ubersim.description.compounds import LatencyValue
from ubersim.description.document import LONGEST, parse
from ubersim.description.expansion import expand
from ubersim.description.materials import Materials
from ubersim.description.materials_file import drawn_materials, read_materials
from ubersim.description.parse_context import tag_of
from ubersim.description.ranges import has_ranges, variants
from ubersim.description.reader import DocumentReader, read_document
from ubersim.description.registry import registry
from ubersim.description.resources import by_name, shipped
from ubersim.description.robot import RobotDescription
from ubersim.description.world_file import WorldDescription
from ubersim.errors import DescriptionError, Problem, UberSimError
from ubersim.files import read_file
from ubersim.protocol.document_settings import no_latency
from ubersim.timing.latency import LatencyModel

D = TypeVar("D", RobotDescription, WorldDescription)


def read_robot(
    text: str | bytes,
    *,
    source: str = "<robot>",
    materials: Materials | None = None,
    longest: int = LONGEST,
    triangles: int | None = None,
    seed: int = 0,
    name: str | None = None,
) -> RobotDescription:
    """The robot that a document describes; a `DescriptionError` holds everything that is wrong with it.

    `longest`: how many bytes it may have; `triangles`: how many all of its meshes may have together; `seed`: of the
    numbers that it wants drawn, together with the robot's name, which is to be `name` or else the document's.
    """
    return _read(RobotDescription, text, source, materials, longest, seed, name, triangles)


def load_robot(
    path: str | Path, *, materials: Materials | None = None, seed: int = 0, name: str | None = None
) -> RobotDescription:
    """The robot that a file describes, with its parts and the files of its meshes in it; `segway` comes along."""
    path = by_name(path, "robots")
    return read_robot(document_in(path), source=str(path), materials=materials, seed=seed, name=name)


def read_world(
    text: str | bytes, *, source: str = "<world>", materials: Materials | None = None, seed: int = 0
) -> WorldDescription:
    """The world that a document describes; a `DescriptionError` holds everything that is wrong with it."""
    return _read(WorldDescription, text, source, materials, LONGEST, seed)


def load_world(path: str | Path, *, materials: Materials | None = None, seed: int = 0) -> WorldDescription:
    """The world that a file describes, with its parts and the files of its meshes in it; `office` comes along."""
    path = by_name(path, "worlds")
    world = read_world(document_in(path), source=str(path), materials=materials, seed=seed)
    return dataclasses.replace(world, title=Path(path).stem)


def read_latency(text: str, *, source: str = "<latency>") -> LatencyModel:
    """The latency that an element describes, as documents have it: `<Latency model="uniform">...</Latency>`."""
    if not text.lstrip().startswith("<"):
        raise UberSimError(no_latency(text))
    reader, element = DocumentReader(source, None, registry()), parse(text, source)
    if (tag := tag_of(element)) != "Latency":
        reader.problem(element, f"a latency is an element Latency, not {tag[:80]}")
    model = LatencyValue().read(element, reader)
    reader.raise_problems()
    assert model is not None  # nothing is broken without a problem
    return model


def document_in(path: str | Path) -> str:
    """The document in a file, with its parts and the files of its meshes in it; nothing is drawn yet."""
    return expand(_bytes(path), Path(path).parent, source=str(path))


def _read(
    root: type[D],
    text: str | bytes,
    source: str,
    materials: Materials | None,
    longest: int,
    seed: int,
    name: str | None = None,
    triangles: int | None = None,
) -> D:
    if isinstance(text, bytes):
        if not has_ranges(text.decode("utf-8-sig", "replace")):
            found = read_document(root, text, source, materials, longest=longest, triangles=triangles)
            return dataclasses.replace(found, source_text=text.decode("utf-8-sig"))
        parse(text, source, longest=longest)  # refuses what is no text
        text = text.decode("utf-8-sig")
    drawn, *extremes = variants(text, seed, name=name, source=source, longest=longest)
    for extreme in extremes:  # so that no seed finds what others do not
        read_document(root, extreme, source, materials, triangles=triangles)
    found = read_document(root, drawn, source, materials, longest=longest, triangles=triangles)
    return dataclasses.replace(found, source_text=drawn)


def load_materials(path: str | Path, *, seed: int = 0) -> Materials:
    """The materials that a file describes; `seed` is that of the numbers that it wants drawn."""
    try:
        text = _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DescriptionError(str(path), [Problem(0, "", f"not UTF-8: byte {error.start}")]) from None
    drawn = drawn_materials(text, seed, source=str(path))
    return dataclasses.replace(read_materials(drawn, source=str(path)), source_text=drawn)


@cache
def default_world() -> WorldDescription:
    """An empty ground, lit, with places for robots."""
    return load_world(shipped("worlds/ground.xml"), materials=default_materials())


@cache
def default_materials() -> Materials:
    """The materials that come with ÜberSim."""
    return load_materials(shipped("materials.yaml"))


def _bytes(path: str | Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        raise DescriptionError(str(path), [Problem(0, "", f"cannot be read: {error.strerror}")]) from None
