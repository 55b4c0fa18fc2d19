"""`ubersim film`: a log as a film to show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import LogFile, a_number, app, picture_size, point_in
from ubersim.cli.sweep import Where


@app.command()
def film(
    log: LogFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the film goes: .mp4 or .gif.")] = Path("film.mp4"),
    follow: Annotated[str, typer.Option(help="Robot, object or Robot/Body to follow; default: the first robot.")] = "",
    offset: Annotated[
        str, typer.Option(help="Where the camera is, seen from what it follows: x,y,z [m]; default: as its size asks.")
    ] = "",
    eye: Annotated[str, typer.Option(help="A place for the camera to stand, instead: x,y,z [m].")] = "",
    inset: Annotated[str, typer.Option(help="Robot/Camera, whose pictures are shown in a corner.")] = "",
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT.")] = "960x540",
    rate: Annotated[float, typer.Option(callback=a_number, min=0.1, max=240, help="Pictures per second.")] = 25.0,
    speed: Annotated[float, typer.Option(callback=a_number, min=0.01, help="How many times as fast as it was.")] = 1.0,
    start: Annotated[float, typer.Option("--from", callback=a_number, min=0, help="From when on [s].")] = 0.0,
    end: Annotated[float | None, typer.Option("--to", callback=a_number, min=0, help="Until when [s].")] = None,
    shadows: Annotated[bool, typer.Option(help="Whether lights cast shadows.")] = True,
    on: Where = "local",
) -> None:
    """Make a film of a log, MP4 or GIF, that follows a robot, with its camera's view in a corner."""
    from ubersim.filming.movie import MovieSettings, movie
    from ubersim.recording.log import Log
    from ubersim.sweeps.executors import workplace

    settings = MovieSettings(
        follow=follow,
        offset=point_in(offset, "--offset") if offset else None,
        eye=point_in(eye, "--eye") if eye else None,
        inset=inset,
        size=picture_size(size),
        rate=rate,
        speed=speed,
        start=start,
        end=end,
        shadows=shadows,
    )
    with Log(log) as opened, workplace(on) as place:
        count = movie(opened, out, settings, place)
    typer.echo(f"{count} pictures in {out}")
