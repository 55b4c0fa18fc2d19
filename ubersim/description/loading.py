"""The doors of the package: from text or from a file to a robot, a world, materials."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path

from ubersim.description.expansion import expand
from ubersim.description.materials import Materials
from ubersim.description.materials_file import read_materials
from ubersim.description.reader import read_document
from ubersim.description.resources import shipped
from ubersim.description.robot import RobotDescription
from ubersim.description.world_file import WorldDescription
from ubersim.errors import DescriptionError, Problem


def read_robot(text: str | bytes, *, source: str = "<robot>", materials: Materials | None = None) -> RobotDescription:
    """The robot that a document describes; a `DescriptionError` holds everything that is wrong with it."""
    robot = read_document(RobotDescription, text, source, materials)
    return dataclasses.replace(robot, source_text=text if isinstance(text, str) else text.decode("utf-8-sig"))


def load_robot(path: str | Path, *, materials: Materials | None = None) -> RobotDescription:
    """The robot that a file describes, with its parts and the files of its meshes in it."""
    text = expand(_bytes(path), Path(path).parent, source=str(path))
    return read_robot(text, source=str(path), materials=materials)


def read_world(text: str | bytes, *, source: str = "<world>", materials: Materials | None = None) -> WorldDescription:
    """The world that a document describes; a `DescriptionError` holds everything that is wrong with it."""
    world = read_document(WorldDescription, text, source, materials)
    return dataclasses.replace(world, source_text=text if isinstance(text, str) else text.decode("utf-8-sig"))


def load_world(path: str | Path, *, materials: Materials | None = None) -> WorldDescription:
    """The world that a file describes, with its parts and the files of its meshes in it."""
    text = expand(_bytes(path), Path(path).parent, source=str(path))
    return read_world(text, source=str(path), materials=materials)


def load_materials(path: str | Path) -> Materials:
    """The materials that a file describes."""
    try:
        text = _bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DescriptionError(str(path), [Problem(0, "", f"not UTF-8: byte {error.start}")]) from None
    return dataclasses.replace(read_materials(text, source=str(path)), source_text=text)


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
        return Path(path).read_bytes()
    except OSError as error:
        raise DescriptionError(str(path), [Problem(0, "", f"cannot be read: {error.strerror}")]) from None
