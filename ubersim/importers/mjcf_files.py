"""Looks at what an MJCF file would make MuJoCo open, before it does: includes, meshes, textures."""

from __future__ import annotations

from pathlib import Path

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


def check_files(path: Path, data: bytes) -> None:
    """Refuses files that are too large, too many, or too far away."""
    own = resolved(path).parent
    home = next((up for up in [*own.parents[:_LEVELS]][::-1] if len(up.parts) >= _SHALLOWEST), own)
    waiting, seen = [(path, data)], {resolved(path)}
    while waiting:
        current, content = waiting.pop()
        root = parse(content, str(current))
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


def _problem(path: Path, line: int, message: str) -> DescriptionError:
    return DescriptionError(str(path), [Problem(line, "", message)])
