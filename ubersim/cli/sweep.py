"""`ubersim sweep`: all runs of a plan, here or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import app
from ubersim.cli.run_progress import run_progress

if TYPE_CHECKING:
    from ubersim.sweeps.plan import SweepPlan

PlanFile = Annotated[Path, typer.Argument(help="Plan: robot, program, parameters, metrics; YAML.")]
Where = Annotated[str, typer.Option("--on", help="local, local=N or dask://HOST:PORT.")]


@app.command()
def sweep(
    plan: PlanFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for rows, plot and summary.")] = Path("sweep"),
    on: Where = "local",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it was interrupted.")] = False,
    verify: Annotated[str | None, typer.Option(help="Run this share of the rows again, e.g. 1%, and compare.")] = None,
) -> None:
    """Run a plan: every combination of its parameters, a row for each."""
    from ubersim.sweeps import load_plan
    from ubersim.sweeps import sweep as run
    from ubersim.sweeps.executors import workplace
    from ubersim.sweeps.verification import share_of
    from ubersim.sweeps.verification import verify as run_again

    loaded = load_plan(plan)
    share = None if verify is None else share_of(verify)
    with workplace(on) as place:
        with run_progress(sum(1 for _ in loaded.runs()) - (_known(out) if resume else 0)) as told:
            rows = run(loaded, out, place, resume=resume, told=told)
        typer.echo(rows)
        _report(loaded, out)
        if share is not None:
            count, wrong = run_again(loaded, out / "runs.csv", share, place)
            for one in wrong:
                typer.echo(f"run {one.number}: the digest was {one.was}, now it is {one.is_now}")
            typer.echo(f"{count} rows run again: {'all the same' if not wrong else f'{len(wrong)} differ'}")
            raise typer.Exit(1 if wrong else 0)


def _known(out: Path) -> int:
    """Rows that are there already."""
    path = out / "runs.csv"
    return max(0, path.read_text(encoding="utf-8").count("\n") - 1) if path.exists() else 0


def _report(plan: SweepPlan, out: Path) -> None:
    from ubersim.errors import UberSimError
    from ubersim.sweeps.plot import plot
    from ubersim.sweeps.results import Results
    from ubersim.sweeps.summary import write_summary

    results = Results.of(out / "runs.csv", plan)
    metric = plan.plot or next(iter(results.metrics), "")
    picture: Path | None = out / "plot.png"
    try:
        picture = picture if picture is not None and plot(results, metric, picture) else None
    except UberSimError as error:  # without matplotlib there are still the rows
        typer.echo(error, err=True)
        picture = None
    write_summary(plan, results, metric, picture, out / "summary.html")
    typer.echo(out / "summary.html")
    if failed := sum(bool(reason) for reason in results.text.get("reason", [])):
        typer.echo(f"{failed} of {len(results)} runs failed; `reason` in the rows says why")
