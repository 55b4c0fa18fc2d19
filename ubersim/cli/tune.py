"""`ubersim tune`: the best parameters of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.cli.run_progress import run_progress
from ubersim.cli.sweep import PlanFile, Where


@app.command()
def tune(
    plan: PlanFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the rows.")] = Path("tune"),
    on: Where = "local",
    evaluations: Annotated[int, typer.Option(min=1, help="Candidates that are tried.")] = 200,
) -> None:
    """Search for the parameters with which a plan's goal is best, by CMA-ES."""
    from ubersim.sweeps import load_plan
    from ubersim.sweeps.executors import workplace
    from ubersim.sweeps.tune import tune as search

    loaded = load_plan(plan)
    with workplace(on) as place, run_progress(None) as told:
        best = search(loaded, out, place, evaluations=evaluations, told=told)
    typer.echo(f"{(loaded.goal or loaded.plot).lstrip('-')} {best.value:.6g} after {best.evaluations} candidates")
    for name, value in best.parameters.items():
        typer.echo(f"  {name}: {value:.6g}")
