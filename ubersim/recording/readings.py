"""What sensors had delivered last, at any time of a log."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ubersim.recording.log import Log
from ubersim.simulation.snapshot import Snapshot

OLDEST = 64
"""How many blocks before the one asked for are looked through."""
_STAMP = 8
"""Bytes before the reading of a stamped sensor."""


class LoggedReading(NamedTuple):
    """As it was delivered, without its stamp."""

    captured: int
    """The frame in which it was measured, as the log counts frames; of a real run, in which it was delivered."""
    payload: bytes


class _Beginning(NamedTuple):
    """What a robot had measured before is not the newest any more: it came, went, or is as it was in a snapshot."""

    block: int
    """The first that came after it."""
    chunk: int
    """Where the event is in the file."""
    number: int
    """Among all events."""
    restored: bool


class Readings:
    """Random access. Pictures that were not recorded are as if they had never been taken."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._pictures = lru_cache(maxsize=2)(log.pictures)
        self._restored = lru_cache(maxsize=2)(self._in_snapshot)

    def before(self, frame: int, robot: str, sensor: str) -> LoggedReading | None:
        """The newest reading of a sensor that was delivered in this frame or before; None: there is none."""
        last = self._log.block_at(frame)
        begin = self._beginning(robot, last)
        oldest = max(begin.block if begin else 0, last - OLDEST + 1)
        for number in range(last, oldest - 1, -1):
            if (found := self._in_block(number, frame, robot, sensor)) is not None:
                return found
        if begin is not None and begin.restored and begin.block == oldest:
            return self._restored(begin).get((robot, sensor))
        return None

    def _in_block(self, number: int, frame: int, robot: str, sensor: str) -> LoggedReading | None:
        block = self._log.block(number)
        if (robot, sensor) not in block.components:
            return None
        own = block.components.index((robot, sensor))
        candidates = np.flatnonzero((block.readings["component"] == own) & (block.readings["frame"] <= frame))
        ends = np.cumsum(block.readings["size"], dtype=np.int64)
        for place in reversed(candidates.tolist()):
            delivered, _, size, picture = block.readings[place].tolist()
            payload = block.payloads[ends[place] - size : ends[place]]
            if picture:
                message = self._pictures(number).get((f"/{robot}/{sensor}", delivered), b"")
                if not message:
                    continue
                payload += message[len(message) - picture :]
            late = int(block.reading_delays[place]) if len(block.reading_delays) else 0
            return LoggedReading(delivered - late, payload[_STAMP if self._is_stamped(robot, sensor) else 0 :])
        return None

    def _is_stamped(self, robot: str, sensor: str) -> bool:
        about = self._introductions.get(robot, {}).get("sensors", {}).get(sensor, {})
        return bool(about.get("stamped"))

    # What ends what was measured before

    @cached_property
    def _introductions(self) -> dict[str, dict[str, Any]]:
        return {event.robot: event.introduction for _, _, event in self._log.events() if event.kind == "joined"}

    @cached_property
    def _beginnings(self) -> dict[str, list[_Beginning]]:
        """Of each robot, in order; under no name, those that concern all."""
        found = defaultdict(list)
        for number, (chunk, block, event) in enumerate(self._log.events()):
            if event.kind in ("joined", "left", "restored"):
                restored = event.kind == "restored"
                found["" if restored else event.robot].append(_Beginning(block, chunk, number, restored))
        return found

    def _beginning(self, robot: str, block: int) -> _Beginning | None:
        """The last one before this block ends."""
        last = None
        for name in (robot, ""):
            own = self._beginnings.get(name, [])
            place = bisect_right(own, block, key=lambda each: each.block)
            if place and (last is None or own[place - 1].number > last.number):
                last = own[place - 1]
        return last

    def _in_snapshot(self, begin: _Beginning) -> dict[tuple[str, str], LoggedReading]:
        """What was the newest again from then on, by robot and sensor."""
        found: dict[tuple[str, str], LoggedReading] = {}
        for _, block, event in self._log.events(begin.chunk):
            if block != begin.block or event.kind != "restored":
                continue
            snapshot = Snapshot.from_bytes(event.snapshot_bytes)
            for state in snapshot.robots:
                for sensor, channel in state["sensors"].items():
                    if channel["latest"] is not None:
                        captured = event.frame - snapshot.frame + channel["latest_frame"]
                        reading = LoggedReading(captured, bytes.fromhex(channel["latest"]))
                        found[state["identity"]["name"], sensor] = reading
        return found
