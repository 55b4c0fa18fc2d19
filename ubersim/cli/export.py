"""`ubersim export`: the topics of a log as CSV files, a robot as a file of another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.errors import UberSimError
from ubersim.files import resolved


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Log, or robot file.")],
    csv: Annotated[Path | None, typer.Option(help="Of a log: folder for the files, one per topic.")] = None,
    urdf: Annotated[
        bool, typer.Option("--urdf", help="Of a robot: as URDF, with a folder of meshes beside it.")
    ] = False,
    mjcf: Annotated[bool, typer.Option("--mjcf", help="Of a robot: as MJCF.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where the robot goes; default: beside FILE.")] = None,
) -> None:
    """Write the topics of a log as CSV files, or a robot as URDF or MJCF."""
    if (csv is not None) + urdf + mjcf != 1:
        raise UberSimError("give one of --csv DIR (of a log), --urdf and --mjcf (of a robot)")
    if csv is not None:
        _topics(file, csv)
    else:
        _robot(file, out or file.with_suffix(".urdf" if urdf else ".mjcf.xml"), urdf)


def _topics(log: Path, folder: Path) -> None:
    from ubersim.recording.log import Log
    from ubersim.recording.tables import export as write

    with Log(log) as opened:
        for path in write(opened, folder):
            typer.echo(path)


def _robot(file: Path, out: Path, urdf: bool) -> None:
    from ubersim.importers import load_robot
    from ubersim.importers.writing import export_robot

    if resolved(out) == resolved(file):
        raise UberSimError(f"{out} is the file itself: give another one with -o")
    typer.echo(export_robot(load_robot(file), out, "urdf" if urdf else "mjcf"))
    typer.echo(out)
