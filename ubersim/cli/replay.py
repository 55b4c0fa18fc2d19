"""`ubersim replay`: a recorded run again, to compare it, to have it in one's hands, or to look at it."""

from __future__ import annotations

import signal
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ubersim.cli.app import a_number, app, cut_short

if TYPE_CHECKING:
    from ubersim.server import ReplayOutcome


class _ReplayCommand(TyperCommand):
    """`--serve` may have a robot's name, and may have none, which Typer by itself does not know."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Without a name after it, it has an empty one."""
        bare = [here == "--serve" and after.startswith("-") for here, after in pairwise([*args, "-"])]
        return super().parse_args(ctx, ["--serve=" if alone else word for word, alone in zip(args, bare, strict=True)])


@app.command(cls=_ReplayCommand)
def replay(
    log: Annotated[Path, typer.Argument(help="Log that `serve --record` or a Recorder wrote.")],
    serve: Annotated[
        str | None,
        typer.Option(
            metavar="[ROBOT]", help="Serve it to supervisors instead, and run this robot's client program from it."
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0, max=1e6, callback=a_number, help="With --serve: times real time; 0: as fast as it goes."),
    ] = None,
    host: Annotated[str, typer.Option(help="With --serve: address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --serve: port to listen on; 0: a free one.")] = 9040,
    view: Annotated[
        bool, typer.Option("--view", help="Play it on a page for a browser here instead, or with --serve beside.")
    ] = False,
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080,
    html: Annotated[Path | None, typer.Option(help="Write a page that plays it, one file, instead.")] = None,
) -> None:
    """Simulate a recorded run again from its commands, and compare every body in every frame."""
    if serve is None and (view or html is not None):
        if html is not None:
            from ubersim.viewer.export import write_page

            typer.echo(f"{html}: {write_page(log, html):g} pictures per second")
        if view:
            from ubersim.viewer.player import play

            play(log, view_port)
        return
    same = verify(log) if serve is None else serve_log(log, serve, host, port, rate, view_port if view else None)
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


def serve_log(file: Path, robot: str, host: str, port: int, rate: float | None, page: int | None) -> bool:
    """Serves the log to supervisors, and to one client; False if that does not send the commands that were recorded."""
    from ubersim.cli.beside_server import page_beside
    from ubersim.recording import Log
    from ubersim.server import ReplayServer
    from ubersim.server import serve_log as serve_client
    from ubersim.transport.listen import address_of, listen

    with Log(file) as log, listen(host, port) as listener:
        if "real" in log.facts and robot:  # nothing of it can be simulated again: its program is all that there is
            print(f"listening on {address_of(listener)}", flush=True)
            return _told(serve_client(log, robot, listener, _print_note))
        with ReplayServer(log, listener, rate=rate, robot=robot or None, note=_print_note) as server:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: server.stop())
            print(f"listening on {server.address}", flush=True)
            with page_beside(server, page, None):
                return _told(server.run())


def _told(outcome: ReplayOutcome | None) -> bool:
    """Says how a client did; False if it did otherwise than then."""
    if outcome is None:
        return True
    print(f"{outcome.frames} frames; {outcome.ended}")
    if outcome.difference:
        print(f"first difference in {outcome.difference}")
        return False
    print(f"all {outcome.commands} commands as recorded")
    return True


def _print_note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _show_progress(frame: int) -> None:
    print(f"\r\x1b[Kframe {frame}", end="", file=sys.stderr, flush=True)
