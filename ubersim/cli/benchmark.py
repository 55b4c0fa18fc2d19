"""`ubersim benchmark`: how good a program is, in figures that others can repeat."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.cli.sweep import Where
from ubersim.errors import UberSimError

benchmark = typer.Typer(help="How good a program is, in figures that others can repeat.", no_args_is_help=True)
app.add_typer(benchmark, name="benchmark")

COLUMN = 54
"""Of the table, in characters: wider than the widest score."""


@benchmark.callback()
def _benchmarks() -> None:
    """Each benchmark is a verb of its own."""


@benchmark.command()
def goalkeeper(
    policy: Annotated[str, typer.Option(help="Of the goalkeeper; `all` for a table of all six.")] = "intercept",
    player: Annotated[str, typer.Option(help="Who shoots: a name, module:Class or file.py:Class.")] = "dribbler",
    program: Annotated[str, typer.Option(help="A program that shoots instead: COMMAND {robot} {host} {port}.")] = "",
    situations: Annotated[int, typer.Option(min=1, help="Penalties and situations of open play, in turn.")] = 40,
    seed: Annotated[int, typer.Option(help="Which situations.")] = 0,
    level: Annotated[str, typer.Option(help="Of the cameras: objects, truth or image.")] = "objects",
    world: Annotated[str, typer.Option(help="Field.")] = "msl_12x8",
    on: Where = "local",
) -> None:
    """Shoot at a goalkeeper of a known skill: goals, time, confidence."""
    from ubersim.league.goalkeeper_benchmark import POLICIES, Challenge, run, score_of
    from ubersim.sweeps.executors import workplace

    policies = list(POLICIES) if policy == "all" else [policy]
    if unknown := set(policies) - set(POLICIES):
        raise UberSimError(f"a goalkeeper has no policy {', '.join(unknown)}; it has {', '.join(POLICIES)}, or all")
    typer.echo(f"{'policy':<12}{'penalties':<{COLUMN}}{'open play':<{COLUMN}}all")
    with workplace(on) as place:
        for one in policies:
            challenge = Challenge(
                policy=one,
                player=player,
                program=tuple(shlex.split(program)),
                world=world,
                level=level,
                seed=seed,
                folder=str(Path.cwd()),
            )
            found = run(challenge, situations, place)
            kinds = [score_of([each for each in found if each.kind == kind]) for kind in ("penalty", "open play")]
            typer.echo(f"{one:<12}{kinds[0]!s:<{COLUMN}}{kinds[1]!s:<{COLUMN}}{score_of(found)}")
