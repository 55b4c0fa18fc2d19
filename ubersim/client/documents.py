"""What programs bring to a server: the document of a robot, however it is named."""

from __future__ import annotations

from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.files import read_text


def document_of(robot: str | Path) -> str:
    """The document that is sent for a file, for the document itself, or for the name of a robot that comes along.

    Parts and meshes of a file are put in, and files of other formats are imported.
    """
    if isinstance(robot, str) and robot.lstrip().startswith("<"):
        return robot
    path = Path(robot)
    if not path.exists():
        from ubersim.description.resources import by_name

        path = by_name(path, "robots")
    text = read_text(path)
    if not text.strip():
        raise UberSimError(f"{path}: the document is empty")
    if any(mark in text for mark in ("<File>", "<robot", "<mujoco")):  # only then is the whole machinery needed
        from ubersim.importers.loading import robot_text

        text = robot_text(path, text)
    return text
