"""The way back: a robot of ours as a URDF or MJCF file, for what those can say."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ubersim.description import RobotDescription
from ubersim.importers.from_description import model_of
from ubersim.importers.mjcf_writer import write_mjcf
from ubersim.importers.report import ImportReport
from ubersim.importers.urdf_writer import write_urdf

Format = Literal["urdf", "mjcf"]


def export_robot(robot: RobotDescription, path: str | Path, format: Format) -> ImportReport:
    """Writes the file, and the meshes of a URDF file into a folder beside it; tells what it could not say."""
    target, report = Path(path), ImportReport(robot.name)
    model = model_of(robot, report)
    if format == "mjcf":
        target.write_text(write_mjcf(model, report), encoding="utf-8")
        return report
    folder = f"{target.stem}_meshes"
    text, meshes = write_urdf(model, report, folder)
    target.write_text(text, encoding="utf-8")
    for name, content in meshes.items():
        (target.parent / folder).mkdir(exist_ok=True)
        (target.parent / folder / name).write_text(content, encoding="utf-8")
    return report
