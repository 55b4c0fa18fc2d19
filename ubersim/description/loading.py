"""The doors of the package: from text or from a file to a robot, a world, materials."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ubersim.description.materials import Materials
from ubersim.description.reader import read_document
from ubersim.description.robot import RobotDescription


def read_robot(text: str | bytes, *, source: str = "<robot>", materials: Materials | None = None) -> RobotDescription:
    """The robot that a document describes; a `DescriptionError` holds everything that is wrong with it."""
    robot = read_document(RobotDescription, text, source, materials)
    return dataclasses.replace(robot, source_text=text if isinstance(text, str) else text.decode("utf-8-sig"))


def load_robot(path: str | Path, *, materials: Materials | None = None) -> RobotDescription:
    """The robot that a file describes."""
    path = Path(path)
    return read_robot(path.read_bytes(), source=str(path), materials=materials)
