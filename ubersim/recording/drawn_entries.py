"""What programs had drawn by any frame of a log: the newest of each name, however long ago that was."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, lru_cache

from ubersim.protocol.log_entries import DRAWING, POINTS, LogEntry
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.recording.log import Log
from ubersim.recording.program_entries import ProgramEntries

_SCHEMAS = ("foxglove.SceneUpdate", "foxglove.PointCloud", "foxglove.ImageAnnotations")
_TOPIC = re.compile(r"/([^/]+)/log/(.+?)(?:/(?:drawing|points))?")


class DrawnEntries:
    """Found by the topics that viewers have of them, whose frames are known without reading the file."""

    def __init__(self, log: Log, programs: ProgramEntries) -> None:
        self._log, self._programs = log, programs
        self._drawn = lru_cache(maxsize=256)(self._drawn_in)

    @cached_property
    def _frames(self) -> dict[str, list[int]]:
        """By topic, in which frames there is something."""
        return {topic: sorted(frame for _, frame in self._log.places(topic)) for topic in self._log.topics(_SCHEMAS)}

    def at(self, frame: int) -> list[ForwardedLog]:
        """As it was after this frame; what there was nothing of yet is an empty drawing. Frames as the log counts."""
        time = frame * self._log.step
        found: dict[tuple[str, str], ForwardedLog] = {}
        newest = set()
        for topic, frames in self._frames.items():
            named = _TOPIC.fullmatch(topic)
            if named is None:
                continue
            robot, name = named.groups()
            found[robot, name] = ForwardedLog(robot, time, LogEntry(name, DRAWING, b"{}"))
            if place := bisect_right(frames, frame):
                newest.add(frames[place - 1])
        for then in sorted(newest):
            found |= {(said.robot, said.entry.name): said for said in self._drawn(then)}
        return list(found.values())

    def _drawn_in(self, frame: int) -> list[ForwardedLog]:
        return [said for said in self._programs.between(frame, frame) if said.entry.kind in (POINTS, DRAWING)]
