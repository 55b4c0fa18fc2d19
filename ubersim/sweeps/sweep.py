"""All runs of a plan, as many at a time as there is room for, each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

from ubersim.sweeps.execute import Outcome
from ubersim.sweeps.executors import Workplace
from ubersim.sweeps.plan import RunSpec, SweepPlan
from ubersim.sweeps.table import RunTable
from ubersim.sweeps.task import run_task

_AHEAD = 4
"""Runs per worker that are handed out: enough that none waits, few enough that memory does not grow with the plan."""
_MOST_LOGS = 20
"""Of runs that failed, that are kept."""


def sweep(
    plan: SweepPlan,
    folder: Path,
    place: Workplace,
    *,
    resume: bool = False,
    told: Callable[[Outcome], None] | None = None,
) -> Path:
    """Runs what has no row yet; returns the file with all rows. `told` hears of every run as it arrives."""
    table = RunTable(folder, plan, resume=resume)
    try:
        wanted = (spec for spec in plan.runs() if spec.number not in table.done)
        for spec, outcome in outcomes(wanted, place):
            _keep_log(folder, outcome)
            table.add(spec, outcome)
            if told is not None:
                told(outcome)
    finally:
        file = table.close()
    return file


def outcomes(specs: Iterable[RunSpec], place: Workplace) -> Iterator[tuple[RunSpec, Outcome]]:
    """Runs them, and yields what came of each as it arrives."""
    waiting: dict[Future[Outcome], RunSpec] = {}
    source = iter(specs)
    while True:
        while len(waiting) < _AHEAD * place.width() and (spec := next(source, None)) is not None:
            waiting[place.executor.submit(run_task, spec)] = spec
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            yield waiting.pop(future), future.result()


def _keep_log(folder: Path, outcome: Outcome) -> None:
    if outcome.log and len(list((folder / "failed").glob("*.mcap"))) < _MOST_LOGS:
        (folder / "failed").mkdir(exist_ok=True)
        (folder / "failed" / f"run-{outcome.number}.mcap").write_bytes(outcome.log)
