"""`ubersim demo`: one of the robots that come along, with its own program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app


@app.command()
def demo(
    robot: Annotated[str, typer.Argument(help="Which robot that comes along.")] = "segway",
    out: Annotated[Path, typer.Option(help="Folder for the plots, pictures, film and table.")] = Path("out"),
) -> None:
    """Run a robot's program in its world; leave a plot, pictures and a film of it."""
    from ubersim.demos.runner import run

    run(robot, out)
