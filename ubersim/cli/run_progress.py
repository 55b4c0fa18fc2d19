"""How far many runs have come, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ubersim.sweeps.execute import Outcome


@contextmanager
def run_progress(total: int | None) -> Iterator[Callable[[Outcome], None]]:
    """A bar with the time left, if it is known how many they are, and the failures; only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(40), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    failed = 0
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("runs", total=total)

        def told(outcome: Outcome) -> None:
            nonlocal failed
            failed += bool(outcome.reason)
            bar.update(task, advance=1, description=f"runs, {failed} failed" if failed else "runs")

        yield told
