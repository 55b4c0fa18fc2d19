"""`ubersim list`: the robots, worlds, parts, matches and programs that come along."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import typer

from ubersim.cli.app import app


@app.command("list")
def list_shipped() -> None:
    """List robots, worlds and matches that come along, whose names stand for their files; parts and programs."""
    from ubersim.description.document import about
    from ubersim.description.resources import shipped, shipped_names

    for folder in ("robots", "worlds", "robots/parts"):
        paths = {name: shipped(f"{folder}/{name}.xml") for name in shipped_names(folder)}
        if folder == "robots/parts":  # as an `Include` has to name them
            paths = {f"parts/{name}.xml": path for name, path in paths.items()}
        _tell(Path(folder).name, paths, lambda path: about(path.read_bytes(), str(path)))
    matches = {name: shipped(f"matches/{name}.yaml") for name in shipped_names("matches", "yaml")}
    _tell("matches", matches, lambda path: _about_match(path))
    programs = shipped("clients/program.py").parent
    _tell("clients", {path.name: path for path in sorted(programs.glob("*_*.py"))}, _about_program)


def _tell(folder: str, paths: dict[str, Path], about: Callable[[Path], str]) -> None:
    typer.echo(f"{folder}, in {next(iter(paths.values())).parent}:")
    width = max(map(len, paths))
    for name, path in paths.items():
        typer.echo(f"  {name:{width}}  {about(path)}")


def _about_program(program: Path) -> str:
    """Of the docstring that a program begins with."""
    from ubersim.description.document import first_sentence

    return first_sentence(ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or "")


def _about_match(match: Path) -> str:
    """Of the comment that a match file begins with."""
    from ubersim.description.document import first_sentence

    return first_sentence(match.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "))
