"""Where the files are that a robot's file names: beside it, in its package, in packages that the caller knows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

from ubersim.files import resolved

LARGEST_FILE = 64 * 1024 * 1024
"""[bytes]"""
_LEVELS = 8
"""How far up the tree a package is looked for."""


class MeshFinder:
    """Finds files by what the robot's file calls them, and none outside of where they may be."""

    def __init__(self, source: Path, package_path: Sequence[Path] = ()) -> None:
        self._folder = resolved(source).parent
        ros = (Path(part) for part in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if part)
        self._given = [resolved(path) for path in (*package_path, *ros)]

    def find(self, name: str) -> Path:
        """The file; a ValueError says what is wrong with it."""
        inside = [path for path, root in self._candidates(name) if path.is_relative_to(root)]
        if not inside:
            raise ValueError("its path leaves the robot's folder and all packages")
        for path in inside:
            if path.is_file():
                if (size := path.stat().st_size) > LARGEST_FILE:
                    raise ValueError(f"it has {size} bytes; allowed are {LARGEST_FILE}")
                return path
        raise ValueError("the file is not there; --package-path may say where its package is")

    def _candidates(self, name: str) -> Iterator[tuple[Path, Path]]:
        """Where it may be, and what it must not leave."""
        name = unquote(name.strip())
        scheme, _, rest = name.partition("://")
        if not rest:
            yield resolved(self._folder / name), self._root()
            yield from ((resolved(home / name), home) for home in self._given)
        elif scheme == "file":
            yield from ((resolved(rest), home) for home in (self._root(), *self._given))
        elif scheme in ("package", "model"):
            package, _, inner = rest.partition("/")
            above = [self._folder, *self._folder.parents][:_LEVELS]
            for home in (*self._given, *above):
                if home.name == package:
                    yield resolved(home / inner), home
                yield resolved(home / package / inner), home / package
            for home in (*self._given, *above[:3]):  # a package whose folder has another name
                yield resolved(home / inner), home
        else:
            raise ValueError(f"{scheme}:// is not known; known are package://, model:// and file://")

    def _root(self) -> Path:
        """The package of the robot's file, which begins where package.xml is; else the folder above its own."""
        above = [self._folder, *self._folder.parents][:_LEVELS]
        return next((path for path in above if (path / "package.xml").is_file()), self._folder.parent)
