"""A log as a sequence of frames, however its blocks were cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ubersim.recording.block import Block
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log


class ExecutedCommand(NamedTuple):
    """A command in the frame in which it took effect."""

    robot: str
    component: str
    number: int
    """Of the property, or `OWN_PAYLOAD`."""
    value: float | bytes


class DeliveredReading(NamedTuple):
    """A reading in the frame in which it came through its latency."""

    robot: str
    sensor: str
    payload: bytes
    """Without the pixels of pictures, which logs may or may not hold."""


@dataclass
class FrameRecord:
    """All that a log says about one frame, in the order in which it happened."""

    number: int
    state: dict[tuple[str, str], int] = field(default_factory=dict)
    """By robot and body, a hash of where the step before this frame has brought it."""
    readings: list[DeliveredReading] = field(default_factory=list)
    actions: list[RecordedEvent | ExecutedCommand] = field(default_factory=list)
    """What was done to the world before the step: events and commands."""


def frames_of(log: Log) -> Iterator[FrameRecord]:
    """Every frame once, the last one too, in which nothing was executed any more."""
    pending: dict[int, FrameRecord] = {}

    def record(number: int) -> FrameRecord:
        return pending.setdefault(number, FrameRecord(number))

    for item in log.items():
        if isinstance(item, RecordedEvent):
            actions = record(item.frame).actions
            if item.kind == "intervened" and item.label == "Set" and actions:
                actions.pop()  # it was executed just before, as if it were the program's own
            actions.append(item)
        else:
            for number in range(item.first, item.end + 1):
                record(number)
            _take(item, pending)
            for number in range(item.first, item.end):
                yield pending.pop(number)
    yield from (pending[number] for number in sorted(pending))


def _take(block: Block, pending: dict[int, FrameRecord]) -> None:
    for number, row in enumerate(block.fingerprints.tolist(), block.first + 1):
        pending[number].state = dict(zip(block.bodies, row, strict=True))
    place = 0
    for number, component, size, _ in block.readings.tolist():
        payload, place = block.payloads[place : place + size], place + size
        robot, sensor = block.components[component]
        pending[number].readings.append(DeliveredReading(robot, sensor, payload))
    for number, component, setting, value in block.executed():
        robot, name = block.components[component]
        pending[number].actions.append(ExecutedCommand(robot, name, setting, value))
