"""`ubersim list`: the robots and worlds that come along."""

from __future__ import annotations

import typer

from ubersim.cli.app import app


@app.command("list")
def list_shipped() -> None:
    """List the robots and worlds that come along; their names stand for their files everywhere."""
    from ubersim.description.document import about
    from ubersim.description.resources import shipped, shipped_names

    for folder in ("robots", "worlds"):
        typer.echo(f"{folder}:")
        for name in shipped_names(folder):
            path = shipped(f"{folder}/{name}.xml")
            typer.echo(f"  {name:12} {about(path.read_bytes(), str(path))}")
