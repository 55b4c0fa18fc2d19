"""`ubersim diff`: where two logs part, why, and how far they go apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import app

if TYPE_CHECKING:
    from ubersim.recording.log import Log


@app.command()
def diff(
    a: Annotated[Path, typer.Argument(help="Log.")],
    b: Annotated[Path, typer.Argument(help="Another log.")],
    plot: Annotated[Path | None, typer.Option(help="Picture of how they go apart: .png, .svg or .pdf.")] = None,
    topic: Annotated[
        list[str] | None, typer.Option(help="NAME=NAME in the other log; compares these, aligned, also of real robots.")
    ] = None,
) -> None:
    """Compare two logs: the first frame that differs, what differs first, how the difference grows; exit 0 if none."""
    from ubersim.recording.log import Log

    if topic:
        raise typer.Exit(0 if _aligned(a, b, topic) else 1)
    with Log(a) as one, Log(b) as other:
        raise typer.Exit(0 if _same(one, other, plot) else 1)


def _same(a: Log, b: Log, picture: Path | None) -> bool:
    """Tells of two runs of ours; whether they are the same to the bit."""
    from ubersim.comparison import compare, growth
    from ubersim.comparison.plot import plot

    divergence = compare(a, b)
    if divergence is None:
        typer.echo(f"frames {a.first} to {a.last}: the same to the bit")
        return True
    typer.echo(divergence)
    if divergence.premises:
        typer.echo(f"different from the beginning: {divergence.premises}")
    apart = growth(a, b)
    for distance, time in apart.reached():
        typer.echo(f"  {distance:8.0e} m apart at {time:.3f} s")
    if (rate := apart.rate()) > 0:
        typer.echo(f"  while it is small, the difference grows by e in {1 / rate:.3g} s")
    if picture is not None:
        plot(apart, divergence, picture)
        typer.echo(picture)
    return False


def _aligned(a: Path, b: Path, topics: list[str]) -> bool:
    """Tells of two logs of whatever origin; whether these topics are the same."""
    from ubersim.comparison.error_table import compare_aligned
    from ubersim.signals import open_signals

    named = {one.partition("=")[0]: one.partition("=")[2] or one for one in topics}
    found = compare_aligned(open_signals(a), open_signals(b), named)
    typer.echo(found)
    return all(one.largest == 0.0 for one in found.topics)
