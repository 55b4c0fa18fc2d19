"""`ubersim plot`: topics of a log over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import LogFile, app


@app.command()
def plot(
    log: LogFile,
    topics: Annotated[list[str], typer.Argument(help="What to plot, e.g. /Segway/Tilt or /Segway/MainBody/pose.z.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Picture: .png, .svg or .pdf.")] = Path("plot.png"),
) -> None:
    """Plot topics of a log over time."""
    from ubersim.recording.log import Log
    from ubersim.recording.plot import plot as draw

    with Log(log) as opened:
        draw(opened, topics, out)
    typer.echo(out)
