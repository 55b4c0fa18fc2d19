"""The command line: one command per verb. What only one of them needs is imported in it, so that `--help` is quick."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ubersim import __version__
from ubersim.errors import UberSimError

app = typer.Typer(
    name="ubersim",
    help="ÜberSim: a simulation server for dynamic, vision-centric robots.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"ubersim {__version__}")
        raise typer.Exit


@app.callback()
def _always(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version, and no more.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """What `ubersim` runs. An error that we know gets one line, not a stack of calls."""
    try:
        app()
    except BrokenPipeError:  # whoever read what we print has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except UberSimError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error, file=sys.stderr)
        sys.exit(1)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; beyond loopback, with --token-file.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 9040,
    step: Annotated[float | None, typer.Option(help="Length of a frame \\[s]; default: the world's, or 0.001.")] = None,
    world: Annotated[Path | None, typer.Option(help="World file; default: an empty ground.")] = None,
    materials: Annotated[Path | None, typer.Option(help="Materials file; default: the one that comes along.")] = None,
    clients: Annotated[
        int | None, typer.Option(min=0, help="Wait for this many robots before frame 0; 0: run without any, too.")
    ] = None,
    frames: Annotated[int | None, typer.Option(min=0, help="End after this many frames.")] = None,
    rate: Annotated[float, typer.Option(min=0, help="Times real time; 0: as fast as it goes.")] = 0.0,
    timeout: Annotated[float, typer.Option(min=0, help="Drop clients that are silent for longer \\[s]; 0: never.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of all noise and all random latencies.")] = 0,
    render: Annotated[str, typer.Option(help="Who draws: inline, or workers=N processes; same bytes.")] = "inline",
    lookahead: Annotated[bool, typer.Option(help="Run ahead of the acks as far as latency allows; same bits.")] = True,
    digest: Annotated[Path | None, typer.Option(help="Write a hash of the world per frame to this file.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token that clients have to give.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write a log of all that happens to this file (MCAP).")] = None,
    record_images: Annotated[
        int, typer.Option(min=0, help="With --record: keep every Nth picture of each camera; 0: none.")
    ] = 0,
    verbose: Annotated[bool, typer.Option("--verbose", help="Say who comes, who goes and why.")] = False,
    view: Annotated[bool, typer.Option("--view", help="Open a page to watch, poke and tune, in a browser.")] = False,
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080,
) -> None:
    """Serve a world to robots that come over TCP."""
    from ubersim.cli.serve import serve as run

    run(
        host=host,
        port=port,
        step=step,
        world=world,
        materials=materials,
        clients=clients,
        frames=frames,
        rate=rate,
        timeout=timeout,
        seed=seed,
        render=render,
        lookahead=lookahead,
        digest=digest,
        token_file=token_file,
        record=record,
        record_images=record_images,
        view_port=view_port if view else None,
        verbose=verbose,
    )


@app.command()
def view(
    server: Annotated[str, typer.Argument(metavar="HOST:PORT", help="Where the server is.")] = "127.0.0.1:9040",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; it is for this machine only.")] = 8080,
    token_file: Annotated[Path | None, typer.Option(help="File with the server's token.")] = None,
) -> None:
    """Open a page for a browser, to watch a running server, poke it and tune its robots."""
    from ubersim.viewer.launch import view as show_page

    show_page(server, port=port, token_file=token_file)


@app.command()
def check(
    robot: Annotated[Path, typer.Argument(help="Robot file.")],
    materials: Annotated[Path | None, typer.Option(help="Materials file; default: the one that comes along.")] = None,
) -> None:
    """Read a robot file; print its errors, or what it describes."""
    from ubersim.description import default_materials, load_materials, load_robot, summary

    table = default_materials() if materials is None else load_materials(materials)
    typer.echo(summary(load_robot(robot, materials=table)))


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="Robot or world file.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the picture goes, a PNG file.")] = Path("show.png"),
    size: Annotated[str, typer.Option(help="Width and height \\[pixels].")] = "1280x960",
    azimuth: Annotated[
        float, typer.Option(min=-360, max=360, help="Where to look from: degrees from ahead to the right.")
    ] = 33.0,
    elevation: Annotated[float, typer.Option(min=-89, max=89, help="How far to look down \\[degrees].")] = 12.0,
    materials: Annotated[Path | None, typer.Option(help="Materials file; default: the one that comes along.")] = None,
) -> None:
    """Take a picture of a robot or of a world."""
    from ubersim.cli.show import show as draw

    draw(file, out, size=size, azimuth=azimuth, elevation=elevation, materials=materials)
    typer.echo(out)


@app.command()
def demo(
    robot: Annotated[str, typer.Argument(help="Which robot.")] = "segway",
    out: Annotated[Path, typer.Option(help="Folder for the plots, pictures, film and table.")] = Path("out"),
) -> None:
    """Watch a robot live: a server, its client, a story, and what came of it."""
    from ubersim.demos.demo import run

    run(robot, out)


@app.command()
def schema(
    kind: Annotated[Literal["robot", "world"], typer.Argument(help="Which kind of file.")] = "robot",
) -> None:
    """Print an XML schema (XSD) for editors."""
    from ubersim.description import xsd

    typer.echo(xsd(kind), nl=False)


@app.command()
def replay(
    log: Annotated[Path, typer.Argument(help="Log that `serve --record` or a Recorder wrote.")],
    serve: Annotated[
        str | None, typer.Option(metavar="ROBOT", help="Run this robot's client program from the log instead.")
    ] = None,
    host: Annotated[str, typer.Option(help="With --serve: address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --serve: port to listen on; 0: a free one.")] = 9040,
    view: Annotated[bool, typer.Option("--view", help="Play it on a page for a browser here instead.")] = False,
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080,
    html: Annotated[Path | None, typer.Option(help="Write a page that plays it, one file, instead.")] = None,
) -> None:
    """Simulate a recorded run again from its commands, and compare every body in every frame."""
    if view or html is not None:
        from ubersim.viewer.player import play, write_page

        if html is not None:
            typer.echo(f"{html}: {write_page(log, html):g} pictures per second")
        return play(log, view_port) if view else None
    from ubersim.cli import logs

    same = logs.verify(log) if serve is None else logs.serve_client(log, serve, host, port)
    raise typer.Exit(0 if same else 1)


@app.command()
def plot(
    log: Annotated[Path, typer.Argument(help="Log.")],
    topics: Annotated[list[str], typer.Argument(help="What to plot, e.g. /Segway/Tilt or /Segway/MainBody/pose.z.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Picture: .png, .svg or .pdf.")] = Path("plot.png"),
) -> None:
    """Plot topics of a log over time."""
    from ubersim.recording.log import Log
    from ubersim.recording.plot import plot as draw

    with Log(log) as opened:
        draw(opened, topics, out)
    typer.echo(out)


@app.command()
def export(
    log: Annotated[Path, typer.Argument(help="Log.")],
    csv: Annotated[Path, typer.Option(help="Folder for the files, one per topic.")],
) -> None:
    """Write the topics of a log as CSV files."""
    from ubersim.recording.log import Log
    from ubersim.recording.tables import export as write

    with Log(log) as opened:
        for path in write(opened, csv):
            typer.echo(path)


@app.command()
def info(log: Annotated[Path, typer.Argument(help="Log.")]) -> None:
    """Say what is in a log: frames, versions, events, topics."""
    from ubersim.cli.logs import info as describe

    typer.echo(describe(log))
