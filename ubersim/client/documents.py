"""What a program brings to a server: a robot or an object, however it is given."""

from __future__ import annotations

from pathlib import Path

from ubersim.files import read_text


def given_document(given: str | Path) -> str:
    """The document itself, or that of a file, with all files that it names in it, or of a robot that comes along."""
    if isinstance(given, str) and given.lstrip().startswith("<"):
        return given
    path = Path(given)
    if not path.exists():
        from ubersim.description.resources import by_name

        path = by_name(path, "robots")
    text = read_text(path)
    if any(mark in text for mark in ("<File>", "<robot", "<mujoco")):  # only then is the whole machinery needed
        from ubersim.importers.loading import robot_text

        text = robot_text(path, text)
    return text
