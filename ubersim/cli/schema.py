"""`ubersim schema`: an XML schema, so that editors complete and check robot and world files."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ubersim.cli.app import app


@app.command()
def schema(
    kind: Annotated[Literal["robot", "world"], typer.Argument(help="Which kind of file.")] = "robot",
) -> None:
    """Print an XML schema (XSD) for editors."""
    from ubersim.description import xsd

    typer.echo(xsd(kind), nl=False)
