"""`ubersim import`: a robot of another format as a document of ours."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.errors import UberSimError
from ubersim.files import resolved


class MeshChoice(StrEnum):
    """What meshes collide as."""

    HULL = "hull"
    CONVEX = "convex"
    PRIMITIVE = "primitive"
    TRIMESH = "trimesh"


class ForwardChoice(StrEnum):
    """Which axis points ahead."""

    X = "x"
    Y = "y"


class MotorChoice(StrEnum):
    """What joints without a motor get."""

    FILE = "file"
    POSITION = "position"
    VELOCITY = "velocity"
    TORQUE = "torque"


@app.command(name="import")
def import_file(
    file: Annotated[Path, typer.Argument(help="URDF or MJCF file.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the robot goes; default: FILE.xml here.")
    ] = None,
    fixed_base: Annotated[bool, typer.Option("--fixed-base", help="Fix its first link to the world.")] = False,
    meshes: Annotated[
        MeshChoice,
        typer.Option(help="What meshes collide as: convex hull, convex pieces, simplest shape around, triangles."),
    ] = MeshChoice.HULL,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend meshes that are not closed, where that is safe.")
    ] = False,
    forward: Annotated[ForwardChoice, typer.Option(help="Which axis of the file points ahead.")] = ForwardChoice.X,
    package_path: Annotated[
        list[Path] | None, typer.Option(help="Where package:// is looked for, too; may be given several times.")
    ] = None,
    motors: Annotated[MotorChoice, typer.Option(help="What joints without a motor get.")] = MotorChoice.FILE,
    self_collision: Annotated[
        bool | None, typer.Option(help="Whether its links collide with each other; default: as in the format.")
    ] = None,
) -> None:
    """Make a robot file of a URDF or MJCF file; tell what was taken, changed and dropped."""
    from ubersim.description import default_materials
    from ubersim.importers import ImportOptions, import_robot

    options = ImportOptions(
        fixed_base=fixed_base,
        meshes=meshes.value,
        repair=repair,
        forward="x" if forward is ForwardChoice.X else "y",
        package_path=tuple(package_path or ()),
        motors=motors.value,
        self_collision=self_collision,
    )
    target = out or Path(f"{file.stem}.xml")
    if file.exists() and resolved(target) == resolved(file):
        raise UberSimError(f"{target} is the file itself: give another one with -o")
    made = import_robot(file, options)
    made.description(default_materials())  # what the server would refuse is said here
    target.write_text(made.text, encoding="utf-8")
    typer.echo(made.report)
    typer.echo(target)
