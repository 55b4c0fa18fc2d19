"""The same digest for the same row, wherever it ran: some of the rows again, compared."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.sweeps.executors import Workplace
from ubersim.sweeps.plan import SweepPlan
from ubersim.sweeps.sweep import outcomes


@dataclass(frozen=True)
class Mismatch:
    """A run that did not come out the same."""

    number: int
    was: str
    is_now: str


def share_of(text: str) -> float:
    """`1%` or `0.01`."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise UberSimError(f"{text!r} is no share of the runs; say 1% or 0.01")
    return share


def verify(plan: SweepPlan, rows: Path, share: float, place: Workplace) -> tuple[int, list[Mismatch]]:
    """Runs a sample of the rows again, at least one; how many, and which of them differ."""
    known = dict(_digests(rows))
    chosen = set(random.Random(len(known)).sample(sorted(known), max(1, round(share * len(known)))) if known else [])
    wanted = (spec for spec in plan.runs() if spec.number in chosen)
    wrong = [
        Mismatch(spec.number, known[spec.number], outcome.digest or outcome.reason)
        for spec, outcome in outcomes(wanted, place)
        if outcome.digest != known[spec.number]
    ]
    return len(chosen), wrong


def _digests(path: Path) -> Iterator[tuple[int, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["digest"]:
                yield int(row["run"]), row["digest"]
