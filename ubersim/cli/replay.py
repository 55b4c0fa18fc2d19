"""`ubersim replay`: a recorded run again, to compare it, to run a client from it, or to look at it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app, cut_short


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
        if html is not None:
            from ubersim.viewer.export import write_page

            typer.echo(f"{html}: {write_page(log, html):g} pictures per second")
        if view:
            from ubersim.viewer.player import play

            play(log, view_port)
        return
    same = verify(log) if serve is None else serve_client(log, serve, host, port)
    raise typer.Exit(0 if same else 1)


def verify(file: Path) -> bool:
    """Simulates the run again; False if any body differs in any frame."""
    from ubersim.recording import Log
    from ubersim.recording import replay as simulate_again

    with Log(file) as log:
        difference = simulate_again(log, _show_progress if sys.stderr.isatty() else None)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        if difference is not None:
            print(difference)
            return False
        print(f"frames {log.first} to {log.last}: every body the same to the bit{cut_short(log)}")
        return True


def serve_client(file: Path, robot: str, host: str, port: int) -> bool:
    """Serves one client from the log; False if it does not send the commands that were recorded."""
    from ubersim.recording import Log
    from ubersim.server import serve_log
    from ubersim.transport.listen import address_of, listen

    with Log(file) as log:
        with listen(host, port) as listener:
            print(f"listening on {address_of(listener)}", flush=True)
            outcome = serve_log(log, robot, listener, lambda text: print(text, file=sys.stderr, flush=True))
        print(f"{outcome.frames} frames; {outcome.ended}")
        if outcome.difference:
            print(f"first difference in {outcome.difference}")
            return False
        print(f"all {outcome.commands} commands as recorded")
        return True


def _show_progress(frame: int) -> None:
    print(f"\r\x1b[Kframe {frame}", end="", file=sys.stderr, flush=True)
