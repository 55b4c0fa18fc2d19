"""`ubersim evaluate`: what a policy is worth under delay."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import app
from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.timing.think_time import Think


@app.command()
def evaluate(
    policy: Annotated[str, typer.Argument(help="module:name or file.py:name, an .onnx file, or a .zip of SB3.")],
    env: Annotated[str, typer.Option(help="Environment, e.g. UberSim/SegwayBalance-v0.")],
    think: Annotated[str, typer.Option(help="Think times [ms], with commas; `measured`: what it takes here.")] = "0",
    latency: Annotated[str, typer.Option(help="Latencies of commands [ms]; `own`: the robot's.")] = "own",
    episodes: Annotated[int, typer.Option(min=1, help="Of each combination.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the first episode; the others count on.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for evaluation.csv and .png.")] = None,
) -> None:
    """Run a policy under think times and latencies; tell success and return, with confidence intervals."""
    from ubersim.learning import evaluation, report
    from ubersim.learning.policies import load_policy

    heads = iter([report.table_head()])  # told once there is a line to tell

    def tell(one: evaluation.Evaluation) -> None:
        typer.echo("\n".join([*heads, report.table_line(one)]))

    found = evaluation.evaluate(
        load_policy(policy),
        env,
        think=[_think(word) for word in think.split(",")],
        latency=[None if word.strip() == "own" else _number(word, "latency") for word in latency.split(",")],
        episodes=episodes,
        seed=seed,
        progress=tell,
    )
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        report.write_csv(found, out / "evaluation.csv")
        report.plot({"": found}, out / "evaluation.png")
        typer.echo(f"{out / 'evaluation.csv'}, {out / 'evaluation.png'}")


def _think(word: str) -> Think:
    return "measured" if word.strip() == "measured" else _number(word, "think")


def _number(word: str, what: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 60_000.0:
        raise UberSimError(f"--{what} takes milliseconds from 0 to 60000 with commas, not {word!r:.60}")
    return number
