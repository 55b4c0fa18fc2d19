"""How late things were in a log: the latencies that held, and what became of every command and every reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.description.registry import registry
from ubersim.recording.block import Block
from ubersim.recording.damage import damage
from ubersim.recording.log import Log
from ubersim.timing.latency import LatencyModel

COMMANDS = ""
"""In place of a sensor's name: the robot's commands."""


@dataclass(frozen=True)
class RecordedLatency:
    """A latency that took effect."""

    frame: int
    """As the log counts frames."""
    robot: str
    sensor: str
    """Whose readings it delays; empty: the robot's commands."""
    model: LatencyModel

    @property
    def topic(self) -> str:
        """Of plots, tables and viewers."""
        return f"/{self.robot}/{self.sensor}/latency" if self.sensor else f"/{self.robot}/latency"

    @property
    def values(self) -> tuple[float, float, float, float]:
        """What the model amounts to: least, average, longest [ms], and loss."""
        return self.model.minimum, self.model.average, self.model.longest, self.model.loss

    def __str__(self) -> str:
        what = f"{self.robot}/{self.sensor}" if self.sensor else self.robot
        return f"{what} latency {self.model}"


@dataclass(frozen=True)
class Delays:
    """When things were sent (or captured), and when they were executed (or delivered)."""

    begun: NDArray[np.int64]
    """Frames, as the log counts them."""
    ended: NDArray[np.int64]


def latencies(log: Log) -> Iterator[RecordedLatency]:
    """All that took effect, in order: those that a robot came with, and changes."""
    for item in log.items():
        if isinstance(item, Block):
            with damage(log.path, f"the latencies after frame {item.first}"):
                yield from latencies_in(item)


def latencies_in(block: Block) -> Iterator[RecordedLatency]:
    """Those of a block."""
    for frame, robot, sensor, plain in block.latencies:
        try:
            model = LatencyModel.from_dict(plain, *registry().latency_models.values())
        except LookupError:  # a model of another package, which is not installed here
            continue
        yield RecordedLatency(frame, robot, sensor, model)


def changes(log: Log) -> Iterator[RecordedLatency]:
    """Those that a robot did not come with."""
    known: dict[tuple[str, str], LatencyModel] = {}
    for change in latencies(log):
        key = change.robot, change.sensor
        if known.get(key, change.model) != change.model:
            yield change
        known[key] = change.model


def first_latencies(log: Log) -> list[RecordedLatency]:
    """The first of every robot's commands and of each sensor, in order."""
    first: dict[tuple[str, str], RecordedLatency] = {}
    for latency in latencies(log):
        first.setdefault((latency.robot, latency.sensor), latency)
    return list(first.values())


def delays(log: Log, robot: str) -> dict[str, Delays]:
    """Of a robot's commands (`COMMANDS`) and of the readings of its sensors, by name."""
    found: dict[str, list[NDArray[np.int64]]] = {}
    for item in log.items():
        if not isinstance(item, Block):
            continue
        own = {index: name for index, (owner, name) in enumerate(item.components) if owner == robot}
        for entries, late, sensing in (
            (item.commands, item.command_delays, False),
            (item.readings, item.reading_delays, True),
        ):
            if not len(late):
                continue
            for index, name in own.items():
                rows = entries["component"] == index
                if rows.any():
                    ended = entries["frame"][rows]
                    pair = np.stack([ended - late[rows].astype(np.int64), ended])
                    found.setdefault(name if sensing else COMMANDS, []).append(pair)
    joined = {name: np.concatenate(parts, axis=1) for name, parts in found.items()}
    return {name: Delays(*pair[:, np.argsort(pair[1], kind="stable")]) for name, pair in joined.items()}
