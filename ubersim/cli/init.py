"""`ubersim init`: a project to begin with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.errors import UberSimError


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="What the robot is called; a letter, then letters and digits.")],
    folder: Annotated[Path | None, typer.Option(help="Where the files go; default: a folder of that name.")] = None,
) -> None:
    """Write a robot, its program, tests that pass, a schema for editors and a README."""
    from ubersim.cli.project import project_files
    from ubersim.description import xsd

    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name):
        raise UberSimError(f"{name!r} cannot be a robot's name here: a letter, then up to 31 letters, digits and _")
    place = folder or Path(name.lower())
    texts = project_files(name) | {"robot.xsd": xsd("robot")}
    if taken := [file for file in texts if (place / file).exists()]:
        raise UberSimError(f"{place / taken[0]} exists already; nothing was written")
    place.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (place / file).write_text(text, encoding="utf-8")
        typer.echo(place / file)
    typer.echo(f"now: cd {place} && pytest")
