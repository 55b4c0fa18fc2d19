"""Signals of CSV files: a column `time` [s], and one column per signal; empty where there is no sample.

Beside a column `tilt` there may be one `tilt.stamp`, which says when it was captured [s].
"""

from __future__ import annotations

import csv
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from ubersim.errors import UberSimError
from ubersim.files import open_file
from ubersim.recording.tables import file_name
from ubersim.signals.signal import Array, Signal
from ubersim.signals.source import SignalSource

_STAMP = ".stamp"


def _columns(path: Path) -> dict[str, Array]:
    """All columns; what is no number is nan."""
    with open_file(path) as data, TextIOWrapper(data, "utf-8", "replace", newline="") as file:
        rows = csv.reader(file)
        names = [name.partition(" [")[0].strip() for name in next(rows, [])]  # units may follow
        if not all(map(str.isprintable, names)) or any("\N{REPLACEMENT CHARACTER}" in name for name in names):
            raise UberSimError(f"{path} is no CSV file: its first line is no text")
        if "time" not in names:
            raise UberSimError(f"{path} has no column `time`; it has {', '.join(names) or 'none'}")
        numbers = [[_number(text) for text in row[: len(names)]] for row in rows if len(row) >= len(names)]
    table = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(names))
    return {name: table[:, index] for index, name in enumerate(names)}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


class CsvFile(SignalSource):
    """One file with several signals, by the names of their columns."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._columns = _columns(path)

    def signal(self, topic: str) -> Signal:
        if topic not in self.topics():
            raise self.unknown(topic)
        return Signal.of(topic, self._columns["time"], self._columns[topic], self._columns.get(topic + _STAMP))

    def topics(self) -> list[str]:
        return [name for name in self._columns if name != "time" and not name.endswith(_STAMP)]


class CsvFolder(SignalSource):
    """A file per topic, as `ubersim export` writes them; `TOPIC.COLUMN` is one column of it."""

    sent = False

    def signal(self, topic: str) -> Signal:
        name, columns = topic, [""]
        while not (path := self.path / file_name(name)).exists():
            name, dot, column = name.rpartition(".")
            if not dot:
                raise self.unknown(topic)
            columns.insert(0, column)
        file = CsvFile(path)
        column = ".".join(columns).rstrip(".")
        only = file.topics() if not column else [column]
        if len(only) > 1:
            raise UberSimError(f"{topic} has several columns: say {topic}.{' or .'.join(only)}")
        return file.signal(*only)

    def topics(self) -> list[str]:
        return sorted(path.name for path in self.path.glob("*.csv"))
