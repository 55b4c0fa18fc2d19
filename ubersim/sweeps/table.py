"""The rows of a sweep, written as they arrive; what is on file is valid whenever the writer is killed."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError
from ubersim.sweeps.execute import Outcome
from ubersim.sweeps.plan import RunSpec, SweepPlan

FIRST = ("run", "repetition", "seed")
LAST = ("digest", "frames", "wall", "version", "reason")


class RunTable:
    """`runs.csv` in the folder of a sweep, and in the end `runs.parquet`."""

    def __init__(self, folder: Path, plan: SweepPlan, *, resume: bool) -> None:
        self.path = folder / "runs.csv"
        self._plan = plan
        self._about = folder / "plan.json"
        self.done: set[int] = set()
        """Numbers of the runs that have their row."""
        folder.mkdir(parents=True, exist_ok=True)
        if resume and self.path.exists():
            self._resume()
        elif self.path.exists():
            raise UberSimError(f"{self.path} is there already: say --resume to go on, or another folder with -o")
        self._about.write_text(json.dumps({"fingerprint": plan.fingerprint()}))
        self._columns: list[str] | None = self._head()
        self._file = self.path.open("a", newline="", encoding="utf-8")
        self._waiting: list[tuple[RunSpec, Outcome]] = []

    def _resume(self) -> None:
        """Drops a row that was cut off, and notes which there are."""
        known = json.loads(self._about.read_text())["fingerprint"] if self._about.exists() else ""
        if known != self._plan.fingerprint():
            raise UberSimError(f"{self.path} is of another plan, or of one that was changed since")
        data = self.path.read_bytes()
        sound = data[: data.rfind(b"\n") + 1]
        if len(sound) != len(data):
            os.truncate(self.path, len(sound))
        self.done = {int(row["run"]) for row in self.rows()}

    def _head(self) -> list[str] | None:
        with self.path.open(newline="", encoding="utf-8") if self.path.exists() else io.StringIO() as file:
            return next(csv.reader(file), None)

    def add(self, spec: RunSpec, outcome: Outcome) -> None:
        """Writes a row. Until a first run has succeeded, the names of the metrics are not known, and failures wait."""
        if spec.number in self.done:
            return
        self.done.add(spec.number)
        self._waiting.append((spec, outcome))
        if self._columns is None and outcome.metrics:
            self._columns = [*FIRST, *self._plan.names, *outcome.metrics, *LAST]
            self._columns = list(dict.fromkeys(self._columns))
            self._write(dict(zip(self._columns, self._columns, strict=True)))
        if self._columns is not None:
            for waiting in self._waiting:
                self._write(self._row(*waiting))
            self._waiting = []

    def _row(self, spec: RunSpec, outcome: Outcome) -> dict[str, Any]:
        first = {"run": spec.number, "repetition": spec.repetition, "seed": spec.seed}
        last = {name: getattr(outcome, name) for name in LAST}
        last["wall"] = round(outcome.wall, 6)
        return first | spec.parameters | outcome.metrics | last

    def _write(self, row: dict[str, Any]) -> None:
        assert self._columns is not None
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(_text(row.get(name, "")) for name in self._columns)
        self._file.write(text.getvalue())
        self._file.flush()

    def rows(self) -> Iterator[dict[str, str]]:
        """As they are on file."""
        with self.path.open(newline="", encoding="utf-8") as file:
            yield from csv.DictReader(file)

    def close(self) -> Path:
        """Writes what is left, and the same as Parquet where that is installed; the file that is best read."""
        if self._columns is None and self._waiting:
            self._columns = list(dict.fromkeys([*FIRST, *self._plan.names, *LAST]))
            self._write(dict(zip(self._columns, self._columns, strict=True)))
            for waiting in self._waiting:
                self._write(self._row(*waiting))
        self._file.close()
        return as_parquet(self.path)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).replace("\n", " ")


def as_parquet(path: Path) -> Path:
    """The same table in the format of data frames; without pyarrow the CSV file has to do."""
    try:
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        return path
    options = pyarrow.csv.ConvertOptions(column_types={"digest": pyarrow.string(), "reason": pyarrow.string()})
    table = pyarrow.csv.read_csv(path, convert_options=options)
    pyarrow.parquet.write_table(table, path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")
