"""Measures, and writes the page."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.fidelity import page, picture
from benchmarks.fidelity.results import Figures, Results
from benchmarks.fidelity.task import ENGINES, Task
from benchmarks.fidelity.tasks import TASKS

ROOT = Path(__file__).parents[2]
PATIENCE = 3600
"""For one task in one engine [s]."""


def measured(task: Task, engine: str) -> Figures:
    """The figures, or why there are none."""
    command = [sys.executable, "-m", "benchmarks.fidelity.worker", task.name, engine]
    # A thread of its own for a product of small matrices is slower, and sums in another order.
    alone = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        answer = subprocess.run(
            command, cwd=ROOT, env=alone, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except subprocess.TimeoutExpired:
        return "took too long"
    except subprocess.CalledProcessError as error:
        if error.returncode < 0:
            return f"failed: ended by signal {-error.returncode}"
        return f"failed: {error.stderr.strip().splitlines()[-1]}"
    figures: list[float | None] = json.loads(answer.stdout.strip().splitlines()[-1])
    return figures


def main() -> None:
    """Runs what is asked for, several at once; prints it, and puts it on the page."""
    names = [task.name for task in TASKS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="TASK", help=", ".join(names))
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES), help="measure these alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--page-only", action="store_true", help="measure nothing, write the page")
    wanted = parser.parse_args()
    tasks = [] if wanted.page_only else [task for task in TASKS if task.name in wanted.only]
    with ThreadPoolExecutor(wanted.jobs) as pool:
        jobs = {
            (task.name, engine): pool.submit(measured, task, engine)
            for task in tasks
            for engine in wanted.engines
            if engine in task.engines
        }
        for task in tasks:
            found = {name: jobs[task.name, name].result() for name in wanted.engines if name in task.engines}
            results = Results.load()  # others may have measured other tasks meanwhile
            results.figures[task.name] = results.figures.get(task.name, {}) | found
            print(page.section_of(task, results), flush=True)
            results.save()
    results = Results.load()
    (ROOT / "docs" / "fidelity.md").write_text(page.written(results), encoding="utf-8")
    picture.draw(results, ROOT / "docs" / "images" / "fidelity.png")


if __name__ == "__main__":
    main()
