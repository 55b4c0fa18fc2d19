"""`ubersim match`: two teams, a referee, and what came of it."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import a_number, app, render_workers
from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.league.match import Result
    from ubersim.league.situation import Ruling
    from ubersim.server import Server


@app.command()
def match(
    file: Annotated[Path | None, typer.Argument(help="Match file, or the name of one that comes along.")] = None,
    home: Annotated[Path | None, typer.Option(help="Folder of the home team, with its team.yaml.")] = None,
    away: Annotated[Path | None, typer.Option(help="Folder of the away team.")] = None,
    world: Annotated[str, typer.Option(help="With --home and --away: where they play.")] = "msl_18x12",
    frames: Annotated[int | None, typer.Option(min=0, help="End after this many frames.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all chance; default: the match file's.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write a log of all that happens to this file (MCAP).")] = None,
    digest: Annotated[Path | None, typer.Option(help="Write a hash of the world per frame to this file.")] = None,
    film: Annotated[Path | None, typer.Option(help="With --record: a film of the match, seen from above.")] = None,
    rate: Annotated[
        float, typer.Option(callback=a_number, min=0, help="Times real time; 0: as fast as it goes.")
    ] = 0.0,
    render: Annotated[str, typer.Option(help="Who draws: inline, or workers=N processes; same bytes.")] = "inline",
    view: Annotated[bool, typer.Option("--view", help="Open a page to watch, in a browser.")] = False,
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080,
) -> None:
    """Play a match between two teams of players or programs."""
    from ubersim.cli.beside_server import page_beside
    from ubersim.league.match import play, set_up
    from ubersim.league.match_file import load_match, match_between

    if (file is None) == (home is None or away is None):
        raise UberSimError("give a match file, or --home and --away")
    plan = load_match(file) if file is not None else match_between(*_both(home, away), world)
    if seed is not None:
        plan = dataclasses.replace(plan, seed=seed)
    if film is not None and record is None:
        raise UberSimError("--film needs --record, which it is drawn from")
    if film is not None:
        from ubersim.filming.mp4 import pyav  # an extra

        pyav()
    ready = set_up(plan, render_workers=render_workers(render), told=_tell)
    typer.echo(f"{plan.home.name} against {plan.away.name}, seed {plan.seed}")
    with ExitStack() as stack:
        if record is not None:
            from ubersim.recording import Recorder  # an extra

            stack.enter_context(Recorder(ready.simulation, record))
        digest_to = None if digest is None else stack.enter_context(digest.open("w"))

        def during(server: Server) -> None:
            stack.enter_context(page_beside(server, view_port if view else None, None))

        result = play(ready, frames=frames, digest=digest_to, rate=rate, during=during)
    _close(result)
    if film is not None and record is not None:
        _film(record, film)


def _both(home: Path | None, away: Path | None) -> tuple[Path, Path]:
    assert home is not None and away is not None
    return home, away


def _tell(time: float, ruling: Ruling) -> None:
    if ruling.kind != "whistle":
        typer.echo(f"{int(time // 60):3d}:{time % 60:04.1f}  {ruling.text}")


def _close(result: Result) -> None:
    typer.echo(result.table)
    home, away = result.possession
    typer.echo(f"possession {100 * home:.0f} % : {100 * away:.0f} %")
    for name, why in result.ended.items():
        typer.echo(f"{name} ended before the match did: {why.strip().splitlines()[-1]}")
    typer.echo(f"{result.line()} after {result.seconds:g} s ({result.frames} frames)")


def _film(log: Path, target: Path) -> None:
    """Of the whole field, from above one of its sides."""
    import tempfile

    from ubersim.filming import FilmSettings, film
    from ubersim.recording.log import Log
    from ubersim.sweeps.executors import workplace

    with Log(log) as opened, workplace("local") as place, tempfile.TemporaryDirectory() as pictures:
        settings = FilmSettings(eye=(13.0, -2.0, 9.0), target="Ball", every=max(1, round(0.04 / opened.step)))
        film(opened, settings, Path(pictures), place, mp4=target)
    typer.echo(str(target))
