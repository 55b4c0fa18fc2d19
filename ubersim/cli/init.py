"""`ubersim init`: a project to begin with."""

from __future__ import annotations

import keyword
import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.errors import UberSimError


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="What the robot is called; a letter, then letters, digits and _.")],
    folder: Annotated[
        Path | None, typer.Option(help="Where the files go; default: one of that name, in small letters.")
    ] = None,
) -> None:
    """Write a robot, its program, tests that pass, a schema for editors and a README."""
    from ubersim.cli.project import project_files
    from ubersim.description import xsd

    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name):
        raise UberSimError(f"{name!r} cannot be a robot's name here: a letter, then up to 31 letters, digits and _")
    if _is_taken(low := name.lower()):
        raise UberSimError(f"{low!r} is a word of Python's or a module here, which {low}.py would hide")
    place = folder or Path(low)
    texts = project_files(name) | {"robot.xsd": xsd("robot")}
    if taken := [file for file in texts if (place / file).exists()]:
        raise UberSimError(f"{place / taken[0]} exists already; nothing was written")
    place.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (place / file).write_text(text, encoding="utf-8")
        typer.echo(place / file)
    typer.echo(f"now: cd {shlex.quote(str(place))} && pytest")


def _is_taken(word: str) -> bool:
    """Whether the robot's program, as a module of this name, could not be imported, or would stand in another's way."""
    if keyword.iskeyword(word):
        return True
    found = find_spec(word)
    return found is not None and found.origin is not None  # a folder that happens to be here has no origin
