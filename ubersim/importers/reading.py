"""Imports one file: another format -> a document of ours, and the report of what became of everything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ubersim.description import RobotDescription, read_robot
from ubersim.description.document import parse
from ubersim.description.materials import Materials
from ubersim.errors import DescriptionError, Problem
from ubersim.files import read_file
from ubersim.importers.bounds import impossible
from ubersim.importers.mjcf import read_mjcf
from ubersim.importers.options import ImportOptions
from ubersim.importers.report import ImportReport
from ubersim.importers.robot_document import write_document
from ubersim.importers.urdf import read_urdf

READERS = {"robot": read_urdf, "mujoco": read_mjcf, "mujocoinclude": read_mjcf}
"""By the root elements of their files."""


_DECLARATION = re.compile(rb"<\?xml\b[^<>]*\?>")


@dataclass(frozen=True)
class ImportedRobot:
    """What came of a file."""

    text: str
    """The document."""
    report: ImportReport
    """What was taken, changed and dropped."""

    def description(self, materials: Materials | None = None) -> RobotDescription:
        """The robot."""
        return read_robot(self.text, source=self.report.source, materials=materials)


def import_robot(path: str | Path, options: ImportOptions | None = None) -> ImportedRobot:
    """The robot of a URDF or MJCF file; a `DescriptionError` says why it cannot be one."""
    file, report = Path(path), ImportReport(str(path))
    data = _tidied(_bytes(file))
    root = parse(data, str(file))
    reader = READERS.get(str(root.tag))
    if reader is None:
        known = ", ".join(READERS)
        raise _problem(file, root.sourceline or 0, f"the root element is {root.tag}; known are {known}")
    chosen = options or ImportOptions()
    model = reader(file, data, chosen, report)
    for line, reason in impossible(model):
        raise _problem(file, line, reason)
    return ImportedRobot(write_document(model, chosen, report), report)


def _tidied(data: bytes) -> bytes:
    """Without what many files have by accident: declarations of odd versions or in odd places, zeros at the end."""
    return _DECLARATION.sub(lambda found: b"\n" * found[0].count(b"\n"), data.rstrip(b"\0\x1a"))


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        raise _problem(path, 0, f"cannot be read: {error.strerror}") from None


def _problem(path: Path, line: int, message: str) -> DescriptionError:
    return DescriptionError(str(path), [Problem(line, "", message)])
