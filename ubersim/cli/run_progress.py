"""How far many runs, or other things, have come, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from ubersim.sweeps.execute import Outcome


@contextmanager
def run_progress(total: int | None) -> Iterator[Callable[[Outcome], None]]:
    """A bar with the time left, if it is known how many they are, and the failures; only on a terminal."""
    failed = 0
    with _bar() as bar:
        task = bar.add_task("runs", total=total)

        def told(outcome: Outcome) -> None:
            nonlocal failed
            failed += bool(outcome.reason)
            bar.update(task, advance=1, description=f"runs, {failed} failed" if failed else "runs")

        yield told


@contextmanager
def count_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar for things that are done many at a time; only on a terminal."""
    with _bar() as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.update(task, advance=count)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(40), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)
