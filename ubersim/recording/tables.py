"""A log as columns of numbers over time: what is plotted and exported.

Topics are `/ROBOT/BODY/pose` (objects of the world: `/World/BODY/pose`), `/ROBOT/SENSOR` and
`/ROBOT/COMPONENT/PROPERTY`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.recording.block import Block
from ubersim.recording.damage import damage
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
"""Columns of a pose: position [m], quaternion, velocity [m/s], angular velocity [rad/s], all in world axes."""
_STAMP = 8
_MOST_COLUMNS = 1024


@dataclass(frozen=True)
class Table:
    """Some rows of a topic."""

    topic: str
    columns: tuple[str, ...]
    frames: NDArray[np.int64]
    """As the log counts frames."""
    values: NDArray[np.float64]
    """Shape (frames, columns)."""


def tables(log: Log, wanted: Callable[[str], bool] = lambda topic: True) -> Iterator[Table]:
    """All rows of the wanted topics, block by block."""
    robots: dict[str, RecordedEvent] = {}
    for item in log.items():
        if isinstance(item, Block):
            with damage(log.path, f"what comes after frame {item.first}"):
                yield from (table for table in _tables(item, robots, wanted) if len(table.frames))
        elif item.kind == "joined":
            robots[item.robot] = item


def _tables(block: Block, robots: dict[str, RecordedEvent], wanted: Callable[[str], bool]) -> Iterator[Table]:
    for index, (robot, body) in enumerate(block.bodies):
        topic = f"/{robot or 'World'}/{body}/pose"
        if wanted(topic):
            yield Table(topic, POSE, block.sampled, block.states[:, index])
    ends = np.cumsum(block.readings["size"], dtype=np.int64)
    numeric = block.readings["picture"] == 0
    for index in np.unique(block.readings["component"][numeric]).tolist():
        robot, sensor = block.components[index]
        if wanted(topic := f"/{robot}/{sensor}"):
            rows = ((block.readings["component"] == index) & numeric).nonzero()[0]
            sizes = block.readings["size"][rows]
            payloads = [block.payloads[end - size : end] for end, size in zip(ends[rows], sizes, strict=True)]
            values = _values(payloads, robots[robot].introduction["sensors"][sensor])
            if values is not None:
                columns = ("value",) if values.shape[1] == 1 else tuple(map(str, range(values.shape[1])))
                yield Table(topic, columns, block.readings["frame"][rows], values)
    settings = block.settings
    kinds = np.stack([settings["component"], settings["property"]], axis=1)
    for index, number in np.unique(kinds, axis=0).tolist():
        robot, component = block.components[index]
        names = {number: name for name, number in robots[robot].properties[component].items()}
        if wanted(topic := f"/{robot}/{component}/{names[number]}"):
            chosen = settings[(kinds == (index, number)).all(axis=1)]
            yield Table(topic, ("value",), chosen["frame"], chosen["value"][:, None])


def _values(payloads: list[bytes], about: dict[str, Any]) -> NDArray[np.float64] | None:
    """The readings as rows of numbers; None for lists, which are not rows of the same length."""
    start, kind = _STAMP if about["stamped"] else 0, np.dtype(about["dtype"])
    size = int(np.prod(about["shape"], dtype=np.int64)) * kind.itemsize
    if kind.fields is not None or size > _MOST_COLUMNS * 8 or any(len(payload) - start != size for payload in payloads):
        return None
    return np.array([np.frombuffer(payload, kind, offset=start) for payload in payloads], dtype=np.float64)


def topics(log: Log) -> dict[str, int]:
    """What can be plotted and exported, and how many rows of it there are."""
    counts: dict[str, int] = {}
    for table in tables(log):
        counts[table.topic] = counts.get(table.topic, 0) + len(table.frames)
    return dict(sorted(counts.items()))


def collect(log: Log, wanted: Iterable[str]) -> dict[str, Table]:
    """Whole topics; an unknown one is an error that lists those that exist."""
    parts: dict[str, list[Table]] = {topic: [] for topic in wanted}
    for table in tables(log, parts.__contains__):
        parts[table.topic].append(table)
    for topic, found in parts.items():
        if not found:
            known = ", ".join(topics(log)) or "none"
            raise UberSimError(f"there is no topic {topic!r} in {log.path}; there are {known}")
    return {topic: _joined(found) for topic, found in parts.items()}


def _joined(parts: list[Table]) -> Table:
    frames, values = np.concatenate([part.frames for part in parts]), np.concatenate([part.values for part in parts])
    return Table(parts[0].topic, parts[0].columns, frames, values)


def file_name(topic: str) -> str:
    """`/Segway/Tilt` is in Segway.Tilt.csv; dots of the names themselves are `%2E`, so that no two share a file."""
    return ".".join(quote(name, safe="").replace(".", "%2E") for name in topic.strip("/").split("/")) + ".csv"


def export(log: Log, folder: Path) -> list[Path]:
    """A CSV file for every topic, written block by block; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    writers: dict[str, Any] = {}
    with ExitStack() as stack:
        for table in tables(log):
            if table.topic not in writers:
                path = folder / file_name(table.topic)
                writers[table.topic] = path, csv.writer(stack.enter_context(path.open("w", newline="")))
                writers[table.topic][1].writerow(["time", *table.columns])
            rows = zip(table.frames.tolist(), table.values.tolist(), strict=True)
            writers[table.topic][1].writerows([repr(frame * log.step), *values] for frame, values in rows)
    return sorted(path for path, _ in writers.values())
