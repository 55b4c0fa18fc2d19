"""A log as columns of numbers over time: what is plotted and exported.

Topics are `/ROBOT/BODY/pose` (objects of the world: `/World/BODY/pose`), `/ROBOT/SENSOR`,
`/ROBOT/COMPONENT/PROPERTY`, `/ROBOT/latency` and `/ROBOT/SENSOR/latency`, `/ROBOT/log/NAME`.
"""

from __future__ import annotations

import csv
import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.protocol.properties import TABLE
from ubersim.protocol.quantity import POSE, Quantity, from_plain, of_each, places
from ubersim.protocol.suggestion import suggestion
from ubersim.recording.block import Block
from ubersim.recording.damage import damage
from ubersim.recording.event import RecordedEvent
from ubersim.recording.latencies import RecordedLatency, latencies_in
from ubersim.recording.log import Log
from ubersim.recording.program_tables import program_tables
from ubersim.recording.table import MOST_COLUMNS
from ubersim.recording.table import Table as Table

LATENCY = (Quantity("least", "ms"), Quantity("average", "ms"), Quantity("longest", "ms"), Quantity("loss"))
"""What a latency model amounts to."""
_STAMP = struct.Struct("<d")
_LONGEST_NAME = 240
"""Of a file, in characters, before its suffix."""


def tables(log: Log, wanted: Callable[[str], bool] = lambda topic: True) -> Iterator[Table]:
    """All rows of the wanted topics, block by block."""
    robots: dict[str, RecordedEvent] = {}
    for item in log.items():
        if isinstance(item, Block):
            with damage(log.path, f"what comes after frame {item.first}"):
                yield from (table for table in _tables(item, robots, wanted) if len(table.frames))
        elif item.kind == "joined":
            robots[item.robot] = item
    yield from program_tables(log, wanted)


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
            about = robots[robot].introduction["sensors"][sensor]
            values, named = _values(payloads, about), from_plain(about.get("quantities", ()))
            if values is not None:
                stamps = np.array([_STAMP.unpack_from(payload)[0] for payload in payloads if about["stamped"]])
                frames, quantities = block.readings["frame"][rows], of_each(named, values.shape[1])
                yield Table(topic, quantities, frames, values, stamps=stamps if about["stamped"] else None)
    yield from _latency_tables(block, robots, wanted)
    settings = block.settings
    kinds = np.stack([settings["component"], settings["property"]], axis=1)
    for index, number in np.unique(kinds, axis=0).tolist():
        robot, component = block.components[index]
        names = {number: name for name, number in robots[robot].properties[component].items()}
        if wanted(topic := f"/{robot}/{component}/{names[number]}"):
            chosen = settings[(kinds == (index, number)).all(axis=1)]
            quantity = Quantity(names[number], _unit(robots[robot].introduction, component, names[number]))
            yield Table(topic, (quantity,), chosen["frame"], chosen["value"][:, None], holds=True)


def _latency_tables(block: Block, robots: dict[str, RecordedEvent], wanted: Callable[[str], bool]) -> Iterator[Table]:
    by_topic: dict[str, list[RecordedLatency]] = {}
    for change in latencies_in(block):
        if wanted(change.topic) and (change.sensor or "latency" not in robots[change.robot].introduction["sensors"]):
            by_topic.setdefault(change.topic, []).append(change)
    for topic, found in by_topic.items():
        values = np.array([change.values for change in found])
        yield Table(topic, LATENCY, np.array([change.frame for change in found]), values, holds=True)


def _unit(introduction: dict[str, Any], component: str, name: str) -> str:
    """Of a property; that of a joint's depends on whether the axis turns or slides, and a motor tells its own."""
    if told := introduction["motors"].get(component, {}).get("units"):
        return str(told.get(name, ""))
    plain, axis = (name[:-1], int(name[-1]) - 1) if name[-1:] in ("2", "3") else (name, 0)
    unit = next((entry.unit for entry in TABLE if entry.name in (name, plain)), "")
    turning, _, sliding = unit.partition(", ")
    axes = introduction["joints"].get(component, {}).get("units", ())
    if not sliding or axis >= len(axes):
        return unit.replace(", ", " or ")
    return sliding if axes[axis] == "m" else turning


def _values(payloads: list[bytes], about: dict[str, Any]) -> NDArray[np.float64] | None:
    """The readings as rows of numbers; None for lists, which are not rows of the same length."""
    start, kind = _STAMP.size if about["stamped"] else 0, np.dtype(about["dtype"])
    size = int(np.prod(about["shape"], dtype=np.int64)) * kind.itemsize
    if kind.fields is not None or size > MOST_COLUMNS * 8 or any(len(payload) - start != size for payload in payloads):
        return None
    return np.array([np.frombuffer(payload, kind, offset=start) for payload in payloads], dtype=np.float64)


def topics(log: Log) -> dict[str, int]:
    """What can be plotted and exported, and how many rows of it there are."""
    counts: dict[str, int] = {}
    for table in tables(log):
        counts[table.topic] = counts.get(table.topic, 0) + len(table.frames)
    return dict(sorted(counts.items()))


def pictures(log: Log) -> dict[str, tuple[int, int]]:
    """Of each camera how many pictures were delivered, and how many of them are in the log."""
    found: dict[str, tuple[int, int]] = {}
    blocks = (item for item in log.items() if isinstance(item, Block))
    for number, block in enumerate(blocks):
        taken = block.readings[block.readings["picture"] > 0]
        kept = log.pictures(number) if len(taken) else {}
        for index in np.unique(taken["component"]).tolist():
            topic = "/{}/{}".format(*block.components[index])
            before = found.get(topic, (0, 0))
            delivered = int((taken["component"] == index).sum())
            found[topic] = before[0] + delivered, before[1] + sum(name == topic for name, _ in kept)
    return dict(sorted(found.items()))


def collect(log: Log, wanted: Iterable[str]) -> dict[str, Table]:
    """Whole topics, or `TOPIC.NAME`: one column, or a group of them. What is unknown is an error that lists what is."""
    wanted = list(wanted)
    parts: dict[str, list[Table]] = {topic: [] for text in wanted for topic in _readings_of(text)}
    for table in tables(log, parts.__contains__):
        parts[table.topic].append(table)
    return {text: _chosen(text, parts, log) for text in wanted}


def _readings_of(text: str) -> Iterator[str]:
    """What it may mean, the longest topic first: names may have dots themselves."""
    yield text
    while "." in text.rpartition("/")[2]:
        text = text.rpartition(".")[0]
        yield text


def _chosen(text: str, parts: dict[str, list[Table]], log: Log) -> Table:
    topic = next((topic for topic in _readings_of(text) if parts[topic]), None)
    if topic is None:
        raise UberSimError(
            _why_not(text, log) or f"there is no topic {text!r} in {log.path}; {suggestion(text, topics(log))}"
        )
    table = _joined(parts[topic])
    if topic == text:
        return table
    column = text[len(topic) + 1 :]
    found = places(table.quantities, column)
    if not found:
        raise UberSimError(f"{topic} has no column {column!r}; {suggestion(column, table.columns)}")
    return table.part(found)


def _why_not(text: str, log: Log) -> str | None:
    """Of a sensor that there is, why it has no curves."""
    if text in pictures(log):
        return f"{text} has pictures and no numbers; `ubersim render` draws them"
    joined = [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]
    sensors = {
        f"/{event.robot}/{name}": about for event in joined for name, about in event.introduction["sensors"].items()
    }
    if (about := sensors.get(text)) is None:
        return None
    what = "readings of another length each time" if about["shape"][:1] == [-1] else "no readings"
    return f"{text} has {what} in {log.path}, and so no curves"


def _joined(parts: list[Table]) -> Table:
    frames, values = np.concatenate([part.frames for part in parts]), np.concatenate([part.values for part in parts])
    stamps = [part.stamps for part in parts if part.stamps is not None]
    return replace(parts[0], frames=frames, values=values, stamps=np.concatenate(stamps) if stamps else None)


def file_name(topic: str) -> str:
    """`/Segway/Tilt` is in Segway.Tilt.csv; dots of the names themselves are `%2E`, so that no two share a file.

    Names that are longer than any that documents have, as in a forged log, end in a hash of the whole.
    """
    name = ".".join(quote(name, safe="").replace(".", "%2E") for name in topic.strip("/").split("/"))
    if len(name) > _LONGEST_NAME:
        name = f"{name[:100]}~{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"
    return f"{name}.csv"


def export(log: Log, folder: Path) -> list[Path]:
    """A CSV file for every topic, written block by block; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    writers: dict[str, Any] = {}
    with ExitStack() as stack:
        for table in tables(log):
            if table.topic not in writers:
                path = folder / file_name(table.topic)
                writers[table.topic] = path, csv.writer(stack.enter_context(path.open("w", newline="")))
                writers[table.topic][1].writerow(["time [s]", *map(str, table.quantities)])
            rows = zip(table.frames.tolist(), table.values.tolist(), strict=True)
            writers[table.topic][1].writerows([repr(frame * log.step), *values] for frame, values in rows)
    return sorted(path for path, _ in writers.values())
