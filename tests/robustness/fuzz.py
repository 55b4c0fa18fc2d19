"""`make fuzz`: strangers of all kinds, one after the other, until time is up. What ends a server is kept in a file.

    python -m tests.robustness.fuzz --seconds 600 --seed 1 --targets robots,wire
    python -m tests.robustness.fuzz --runs 10000 --targets served
    python -m tests.robustness.fuzz --coverage robots      led by coverage, where atheris is installed

A run is named by its target, seed and number; `tests/robustness/corpus` holds the scenes that once did.
"""

from __future__ import annotations

import argparse
import itertools
import math
import resource
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.robustness.chance import Bytes, numbered
from tests.robustness.scenes import Finding
from tests.robustness.targets import REPORTS, TARGETS


def main(arguments: Sequence[str] | None = None) -> int:
    """How many runs found something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="of real time; default: 60, or as long as --runs take")
    parser.add_argument("--runs", type=int, help="of each target")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--coverage", metavar="TARGET", help="lets atheris choose the bytes")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="where findings go")
    given = parser.parse_args(arguments)
    if given.coverage:
        return led_by_coverage(given.coverage)
    seconds = given.seconds or (60.0 if given.runs is None else math.inf)
    numbers = range(given.first, sys.maxsize if given.runs is None else given.first + given.runs)
    return by_number(given.targets.split(","), given.seed, seconds, numbers, given.keep)


def by_number(targets: Sequence[str], seed: int, seconds: float, numbers: range, keep: Path) -> int:
    """Runs that a number names, the targets in turn."""
    counts, found = dict.fromkeys(targets, 0), 0
    began, shown = time.monotonic(), time.monotonic()
    for number in numbers:
        for target in targets:
            try:
                TARGETS[target](numbered(seed, number))
            except Exception as error:
                found += 1
                _keep(error, f"{target}-{seed}-{number}", keep)
            counts[target] += 1
        now = time.monotonic()
        if now - shown > 10 or now - began > seconds or number == numbers[-1]:
            shown = now
            told = ", ".join(f"{count} {target}" for target, count in counts.items())
            more = "".join(f"; {REPORTS[target]()}" for target in targets if target in REPORTS)
            print(f"{now - began:.0f} s: {told}; {found} findings, {_memory()} MiB{more}", flush=True)
        if now - began > seconds:
            break
    return found


def _memory() -> int:
    """Resident now [MiB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20


def _keep(error: Exception, name: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    cause = error.__cause__ or error
    text = "".join(traceback.format_exception(cause))
    (folder / f"{name}.txt").write_text(text)
    if isinstance(error, Finding):
        (folder / f"{name}.json").write_text(error.scene.to_json())
    print(f"{name}: {type(cause).__name__}: {str(cause)[:200]}", flush=True)


def led_by_coverage(target: str) -> int:
    """The bytes of a fuzzer that watches what they reach; needs `pip install atheris`."""
    # An extra of whoever fuzzes: there is none for every platform.
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    def once(data: bytes) -> None:
        TARGETS[target](Bytes(data))

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *itertools.islice(sys.argv, 3, None)], once)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(min(main(), 1))
