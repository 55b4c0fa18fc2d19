"""`ubersim plot`: topics of a log over time."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import LogFile, a_number, app
from ubersim.errors import UberSimError


@app.command()
def plot(
    log: LogFile,
    topics: Annotated[
        list[str] | None,
        typer.Argument(help="What to plot, e.g. /Segway/Tilt, /Car/Imu.force or /Segway/MainBody/pose.z."),
    ] = None,
    latency: Annotated[
        str | None, typer.Option(help="How late the commands and readings of this robot were, instead of topics.")
    ] = None,
    others: Annotated[
        list[Path] | None, typer.Option("--with", help="Another log, drawn into the same axes; may be given again.")
    ] = None,
    begin: Annotated[
        float, typer.Option("--from", callback=a_number, show_default=False, help="Nothing before this time [s].")
    ] = -math.inf,
    end: Annotated[
        float, typer.Option("--to", callback=a_number, show_default=False, help="Nothing after this time [s].")
    ] = math.inf,
    out: Annotated[Path, typer.Option("--out", "-o", help="Picture: .png, .svg or .pdf.")] = Path("plot.png"),
) -> None:
    """Plot topics of a log over time."""
    from ubersim.recording.latency_plot import plot_latency
    from ubersim.recording.log import Log
    from ubersim.recording.plot import plot as draw

    if bool(topics) == (latency is not None):
        raise UberSimError("give topics, or a robot with --latency; `ubersim info` lists both")
    if latency is not None and others:
        raise UberSimError("--latency is drawn of one log; --with goes with topics")
    with ExitStack() as stack:
        logs = [stack.enter_context(Log(path)) for path in (log, *(others or ()))]
        if latency is not None:
            for name, late in plot_latency(logs[0], latency, out, begin=begin, end=end).items():
                typer.echo(f"{name or 'commands'}: {len(late)}, late by {late.mean():.3f} ± {late.std():.3f} ms")
        else:
            draw(logs, topics or [], out, begin=begin, end=end)
    typer.echo(out)
