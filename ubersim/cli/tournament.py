"""`ubersim tournament`: every team against every other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import app
from ubersim.cli.sweep import Where

if TYPE_CHECKING:
    from ubersim.league.tournament import Played


@app.command()
def tournament(
    plan: Annotated[Path, typer.Argument(help="Teams, seeds, and what all matches have in common; YAML.")],
    on: Where = "local",
) -> None:
    """Play a round robin: each team at home against each other one, for each seed, many at once."""
    from ubersim.league.tournament import load_tournament, run, table
    from ubersim.sweeps.executors import workplace

    loaded = load_tournament(plan)
    with workplace(on) as place:
        played = run(loaded, place, told=_tell)
    typer.echo(table(loaded, played))
    raise typer.Exit(1 if any(one.score is None for one in played) else 0)


def _tell(played: Played) -> None:
    fixture = played.fixture
    score = "no score: " + played.reason if played.score is None else f"{played.score[0]}:{played.score[1]}"
    typer.echo(f"{fixture.home} - {fixture.away}, seed {fixture.seed}: {score}")
