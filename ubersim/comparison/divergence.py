"""The first frame in which two runs differ, and what differs first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from ubersim.comparison.cause import Cause, Finding
from ubersim.comparison.diagnosis import Diagnosis
from ubersim.comparison.frames import FrameRecord, frames_of
from ubersim.comparison.premises import Premises
from ubersim.comparison.silence import Silences
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log

_LOOKAHEAD = 1.0
"""How far after the first difference commands are looked at, to tell late ones from other ones [s]."""


@dataclass(frozen=True)
class Divergence:
    """Where two runs part, and why."""

    frame: int
    """The first frame in which anything differs, as the logs count frames."""
    time: float
    """Its time in the first log [s]."""
    cause: Cause
    robot: str
    """Whose; empty: the world's, or nobody's."""
    part: str
    """The body, sensor or component that differs first; empty: none of these."""
    text: str
    """What happened, in a sentence."""
    premises: str
    """What else was different from the beginning; empty: nothing."""

    def __str__(self) -> str:
        where = "/".join(name for name in (self.robot, self.part) if name)
        whose = f" ({where})" if where else ""
        return f"first difference in frame {self.frame} ({self.time:g} s): {self.cause}{whose}: {self.text}"


def compare(a: Log, b: Log) -> Divergence | None:
    """The first difference of two runs; None if every frame is the same to the bit."""
    premises = Premises(a, b)
    if a.step != b.step:
        return _divergence(a.first, Finding("step", f"frames last {a.step:g} s and {b.step:g} s"), premises)
    if a.first != b.first:
        return _divergence(a.first, Finding("length", f"they begin in frames {a.first} and {b.first}"), premises)
    joined: dict[str, RecordedEvent] = {}
    ours, theirs = frames_of(a), frames_of(b)
    silences = Silences(a, b)
    for one, other in zip(ours, theirs, strict=False):
        _notice(one, other, premises, joined)
        if broken := silences.leave_out(one, other):
            return _divergence(broken.begin, broken.finding, premises)
        diagnosis = Diagnosis(premises, joined, _ahead(one, ours, a), _ahead(other, theirs, b))
        while (finding := diagnosis.finding(one, other)) is not None:
            if not silences.begins(one, other, finding):
                return _divergence(one.number, finding, premises)
    if a.last != b.last:
        end = min(a.last, b.last)
        which = a.path if a.last < b.last else b.path
        return _divergence(end, Finding("length", f"{which} ends here; all before is the same"), premises)
    return None


def _notice(one: FrameRecord, other: FrameRecord, premises: Premises, joined: dict[str, RecordedEvent]) -> None:
    """Remembers who is there; documents are premises."""
    pairs = itertools.product(_arrivals(one), _arrivals(other))
    for ours, theirs in pairs:
        if ours.robot == theirs.robot:
            premises.joined(ours, theirs)
    joined |= {event.robot: event for event in (*_arrivals(other), *_arrivals(one))}


def _arrivals(frame: FrameRecord) -> list[RecordedEvent]:
    return [act for act in frame.actions if isinstance(act, RecordedEvent) and act.kind == "joined"]


def _ahead(now: FrameRecord, later: Iterator[FrameRecord], log: Log) -> Iterator[FrameRecord]:
    """This frame and those after it, for as long as it makes sense to look ahead; they are gone then."""
    return itertools.chain([now], itertools.islice(later, round(_LOOKAHEAD / log.step)))


def _divergence(frame: int, finding: Finding, premises: Premises) -> Divergence:
    time = frame * premises.a.step
    return Divergence(frame, time, finding.cause, finding.robot, finding.part, finding.text, str(premises))
