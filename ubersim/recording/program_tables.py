"""What programs logged: numbers and vectors as columns over time, and how much there is of all. `/ROBOT/log/NAME`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from ubersim.protocol.log_entries import KINDS, NUMBER, VECTOR
from ubersim.protocol.quantity import Quantity, of_each
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.recording.log import Log
from ubersim.recording.program_entries import ProgramEntries
from ubersim.recording.table import MOST_COLUMNS, Table


def program_tables(log: Log, wanted: Callable[[str], bool]) -> Iterator[Table]:
    """All rows of the wanted topics, part by part, but for vectors of another length than the first of their name."""
    lengths: dict[str, int] = {}
    for entries in ProgramEntries(log).by_chunk():
        rows: dict[str, list[tuple[int, list[float]]]] = {}
        for frame, said in entries:
            topic = f"/{said.robot}/log/{said.entry.name}"
            if said.entry.kind in (NUMBER, VECTOR) and wanted(topic):
                values = _values(said)
                if 0 < len(values) <= MOST_COLUMNS and lengths.setdefault(topic, len(values)) == len(values):
                    rows.setdefault(topic, []).append((frame, values))
        for topic, found in rows.items():
            frames = np.array([frame for frame, _ in found], dtype=np.int64)
            name = Quantity(topic.rpartition("/")[2])
            columns = (name,) if lengths[topic] == 1 else of_each((), lengths[topic])
            yield Table(topic, columns, frames, np.array([values for _, values in found]))


def program_entries(log: Log) -> dict[tuple[str, str], int]:
    """How many entries there are of each name and kind, those that are no columns among them."""
    found = Counter(
        (f"/{said.robot}/log/{said.entry.name}", KINDS[said.entry.kind])
        for entries in ProgramEntries(log).by_chunk()
        for _, said in entries
    )
    return dict(sorted(found.items()))


def _values(said: ForwardedLog) -> list[float]:
    return [float(each) for each in np.atleast_1d(said.entry.value)]
