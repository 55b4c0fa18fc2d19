"""Robots from files of any known format; what programs, simulations and clients use."""

from __future__ import annotations

import re
from pathlib import Path

from ubersim.description import Materials, RobotDescription, expand
from ubersim.description import load_robot as load_own
from ubersim.files import open_file
from ubersim.importers.reading import READERS, import_robot

_PROLOG = re.compile(rb"\s*(<\?.*?\?>|<!--.*?-->)", re.DOTALL)
_TAG = re.compile(rb"\s*<([A-Za-z_][\w.:-]*)")


def load_robot(
    path: str | Path, *, materials: Materials | None = None, seed: int = 0, name: str | None = None
) -> RobotDescription:
    """The robot that a file describes: a document of ours, with its parts and meshes in it, or a URDF or MJCF file.

    `seed` and `name` are those of the numbers that a document of ours wants drawn.
    """
    if is_foreign(_beginning(Path(path))):
        return import_robot(path).description(materials)
    return load_own(path, materials=materials, seed=seed, name=name)


def robot_text(path: Path, text: str) -> str:
    """The document that a client sends for a file with this text."""
    if is_foreign(text.encode("utf-8", "replace")):
        return import_robot(path).text
    return expand(text, path.parent) if "<File>" in text else text


def is_foreign(data: bytes) -> bool:
    """Whether a document, by its first tag, is of a format that is imported."""
    place = 0
    data = data.removeprefix(b"\xef\xbb\xbf")
    while found := _PROLOG.match(data, place):
        place = found.end()
    tag = _TAG.match(data, place)
    return tag is not None and tag[1].decode() in READERS


def _beginning(path: Path) -> bytes:
    try:
        with open_file(path) as file:
            return file.read(64 * 1024)
    except OSError:
        return b""  # loading it will say so
