"""The rows of a sweep as columns of numbers."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ubersim.sweeps.plan import SweepPlan
from ubersim.sweeps.table import FIRST, LAST

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Results:
    """All rows, by column; what is no number is text, and nan among the numbers."""

    text: dict[str, list[str]]
    parameters: list[str]
    """Those that differ between runs."""
    metrics: list[str]

    @staticmethod
    def of(path: Path, plan: SweepPlan) -> Results:
        """From the file that a sweep has written."""
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}
        varied = [name for name in plan.names if len(set(columns.get(name, []))) > 1]
        known = {*FIRST, *plan.names, *LAST}
        return Results(columns, varied, [name for name in columns if name not in known])

    def __len__(self) -> int:
        return len(next(iter(self.text.values()), []))

    def numbers(self, name: str) -> Array:
        """A column; truth values are 0 and 1."""
        return np.array([_number(text) for text in self.text[name]])

    def means(self, metric: str, *names: str) -> tuple[Array, Array, Array]:
        """Of a metric over runs that agree in these parameters: their values (rows, names), mean and deviation."""
        keys = np.stack([self.numbers(name) for name in names], axis=1)
        values, places = np.unique(keys, axis=0, return_inverse=True)
        measured, places = self.numbers(metric), places.ravel()
        groups = [measured[(places == number) & np.isfinite(measured)] for number in range(len(values))]
        means = np.array([group.mean() if len(group) else np.nan for group in groups])
        return values, means, np.array([group.std() if len(group) else np.nan for group in groups])


def _number(text: str) -> float:
    if text in ("true", "false"):
        return float(text == "true")
    try:
        return float(text)
    except ValueError:
        return float("nan")
