"""Looks at what an MJCF file would make MuJoCo open or make, before it does: includes, meshes, textures, copies."""

from __future__ import annotations

import math
from pathlib import Path

from lxml.etree import _Element as Element

from ubersim.description.document import parse
from ubersim.errors import DescriptionError, Problem
from ubersim.files import resolved
from ubersim.importers.packages import LARGEST_FILE

MOST_FILES = 2000
FOLDERS = ("meshdir", "texturedir", "assetdir")
_LEVELS = 5
"""How far above its own folder a file may reach."""
_SHALLOWEST = 4
"""Parts of a path above which it may not reach at all: that would be everything."""

_COUNTS = {
    "replicate": (("count",), 10_000),
    "composite": (("count",), 10_000),
    "flexcomp": (("count",), 10_000),
    "hfield": (("nrow", "ncol"), 2**24),
    "texture": (("width", "height"), 2**26),
}
"""Elements that make many of something: the attributes that say how many, and the most of them."""


def check_files(path: Path, data: bytes) -> None:
    """Refuses files that are too large, too many, or too far away."""
    own = resolved(path).parent
    home = next((up for up in [*own.parents[:_LEVELS]][::-1] if len(up.parts) >= _SHALLOWEST), own)
    waiting, seen = [(path, data)], {resolved(path)}
    while waiting:
        current, content = waiting.pop()
        root = parse(content, str(current))
        _check_counts(path, root)
        folders = [""] + [compiler.get(name) or "" for compiler in root.iter("compiler") for name in FOLDERS]
        for element in root.iter("*"):
            name = element.get("file")
            if not name:
                continue
            for folder in dict.fromkeys(folders):
                found = resolved(path.parent / folder / name)
                if not found.is_file():
                    continue
                if not found.is_relative_to(home):
                    raise _problem(path, element.sourceline or 0, f"{name!r} leaves the robot's folder")
                if (size := found.stat().st_size) > LARGEST_FILE:
                    raise _problem(
                        path, element.sourceline or 0, f"{name!r} has {size} bytes; allowed are {LARGEST_FILE}"
                    )
                if element.tag == "include" and found not in seen:
                    seen.add(found)
                    if len(seen) > MOST_FILES:
                        raise _problem(path, element.sourceline or 0, f"it includes more than {MOST_FILES} files")
                    waiting.append((found, found.read_bytes()))


def _check_counts(path: Path, root: Element) -> None:
    """Refuses files that make more of something than any robot has; copies of copies multiply."""
    for tag, (names, most) in _COUNTS.items():
        for element in root.iter(tag):
            count = math.prod(_product(element.get(name, "1")) for name in names)
            count *= math.prod(_product(above.get("count", "1")) for above in element.iterancestors("replicate"))
            if count > most:
                raise _problem(path, element.sourceline or 0, f"{tag} makes {count:.3g}; allowed are {most}")


def _product(text: str) -> float:
    """Of the numbers in a text; those that are none are for MuJoCo to refuse."""
    return math.prod(float(word) for word in text.split() if word.isdecimal())


def _problem(path: Path, line: int, message: str) -> DescriptionError:
    return DescriptionError(str(path), [Problem(line, "", message)])
