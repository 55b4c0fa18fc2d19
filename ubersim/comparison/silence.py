"""Readings that a program was too far gone to get, which are no difference of two runs.

A robot whose program has gone stays until its acks do not allow another frame, the same one in every run. Its sensors
rest from when the server notices, which is a matter of the clock on the wall; nothing else depends on that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ubersim.comparison.cause import Finding
from ubersim.comparison.frames import DeliveredReading, FrameRecord
from ubersim.recording.log import Log


@dataclass(frozen=True)
class Silence:
    """One robot says nothing any more in one of two runs."""

    begin: int
    """The first frame in which its readings are missing."""
    end: int
    """The frame in which it leaves that run; it may have been sampled once more before."""
    first: bool
    """Whether it is silent in the first run, or in the second."""
    finding: Finding
    """What its readings would be if it were to speak again: the first difference after all."""


class Silences:
    """Of all robots in two logs, read frame by frame."""

    def __init__(self, a: Log, b: Log) -> None:
        self._leaves = _departures(a), _departures(b)
        self._silent: dict[str, Silence] = {}

    def leave_out(self, one: FrameRecord, other: FrameRecord) -> Silence | None:
        """Takes readings of silent robots out of both frames; the silence that was none, if there is such a one."""
        self._silent = {robot: silence for robot, silence in self._silent.items() if one.number <= silence.end}
        for robot, silence in self._silent.items():
            if _of(robot, one if silence.first else other):
                return silence
        for frame in (one, other) if self._silent else ():
            frame.readings = [reading for reading in frame.readings if reading.robot not in self._silent]
        return None

    def begins(self, one: FrameRecord, other: FrameRecord, finding: Finding) -> bool:
        """Whether a robot falls silent here; then its readings are left out from this frame on."""
        robot = finding.robot
        heard = bool(_of(robot, one)), bool(_of(robot, other))
        if heard[0] == heard[1]:
            return False
        first = heard[1]
        leaves = self._leaves[0 if first else 1].get(robot, [])
        place = bisect_left(leaves, one.number)
        if place == len(leaves):
            return False
        self._silent[robot] = Silence(one.number, leaves[place], first, finding)
        return self.leave_out(one, other) is None


def _departures(log: Log) -> Mapping[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for _, _, event in log.events():
        if event.kind == "left":
            found[event.robot].append(event.frame)
    return found


def _of(robot: str, frame: FrameRecord) -> list[DeliveredReading]:
    return [reading for reading in frame.readings if reading.robot == robot]
