"""What browsers may load from a server's gateway: a folder of pages, and the robots and worlds that come along."""

from __future__ import annotations

from pathlib import Path

_SHIPPED = ("robots", "worlds")


class WebFiles:
    """Nothing outside of these places, however a path is written."""

    def __init__(self, root: Path | None) -> None:
        self._root = None if root is None else root.resolve()

    def find(self, path: str) -> Path | None:
        """The file of a path, without the slash in front; an empty one is that of the index."""
        if "\0" in path:
            return None
        if self._root is not None:
            file = (self._root / (path or "index.html")).resolve()
            if file.is_relative_to(self._root) and file.is_file():
                return file
        folder, _, name = path.partition("/")
        if folder not in _SHIPPED or "/" in name or not name.endswith(".xml"):
            return None
        from ubersim.description.resources import shipped

        try:
            return shipped(path)
        except FileNotFoundError:
            return None
