"""`ubersim render`: pictures and films of a log, drawn afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import LogFile, app, picture_size, point_in
from ubersim.cli.sweep import Where
from ubersim.errors import UberSimError


@app.command()
def render(
    log: LogFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the pictures.")] = Path("pictures"),
    camera: Annotated[str, typer.Option(help="Robot/Camera; without it, a view from outside.")] = "",
    eye: Annotated[str, typer.Option(help="Where an outside view is taken from: x,y,z [m].")] = "3,-3,2",
    target: Annotated[str, typer.Option(help="What an outside view looks at; default: the first robot.")] = "",
    every: Annotated[int, typer.Option(min=1, help="Frames from one picture to the next.")] = 40,
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT; default: the camera's, or 640x480.")] = "",
    samples: Annotated[int, typer.Option(help="Per pixel, against jagged edges: 1, 2, 4, 8.")] = 4,
    shadows: Annotated[bool, typer.Option(help="Whether lights cast shadows.")] = True,
    light_seed: Annotated[int | None, typer.Option(help="Every picture in another light, from this seed.")] = None,
    labels: Annotated[str, typer.Option(help="coco or yolo: what is in the pictures, and where.")] = "",
    drawings: Annotated[bool, typer.Option("--drawings", help="With what the program drew over them.")] = False,
    mp4: Annotated[Path | None, typer.Option(help="A film of the pictures.")] = None,
    on: Where = "local",
) -> None:
    """Draw what a camera saw, or an outside view, for every nth frame of a log, in parallel."""
    from ubersim.filming import FilmSettings, film
    from ubersim.recording.log import Log
    from ubersim.sweeps.executors import workplace

    if samples not in (1, 2, 4, 8):
        raise UberSimError(f"--samples is 1, 2, 4 or 8, not {samples}")
    settings = FilmSettings(
        camera=camera,
        eye=point_in(eye, "--eye"),
        target=target,
        every=every,
        size=picture_size(size) if size else None,
        samples=samples,
        shadows=shadows,
        light_seed=light_seed,
        labels=labels,
        drawings=drawings,
    )
    with Log(log) as opened, workplace(on) as place:
        count = film(opened, settings, out, place, mp4=mp4)
    typer.echo(f"{count} pictures in {out}")
    if mp4 is not None:
        typer.echo(mp4)
