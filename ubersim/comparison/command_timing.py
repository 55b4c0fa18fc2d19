"""A command that two runs did not execute alike: with another value, later, or in one of them not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ubersim.comparison.frames import ExecutedCommand, FrameRecord

Sent = list[tuple[int, float | bytes]]
"""Frames and values of the commands to one property."""


@dataclass(frozen=True)
class Timing:
    """What became of the command in the other run."""

    other_value: bool
    """The program sent something else; otherwise it is the time that differs, or that one is missing."""
    text: str


def commands_of(like: ExecutedCommand, frames: Iterable[FrameRecord]) -> Sent:
    """The commands to the same property in these frames."""
    return [
        (frame.number, action.value)
        for frame in frames
        for action in frame.actions
        if isinstance(action, ExecutedCommand) and action[:3] == like[:3]
    ]


def timing(ours: Sent, theirs: Sent, frame: int) -> Timing:
    """The first commands are those of the frame in which the runs part."""
    now = [value for number, value in ours if number == frame], [value for number, value in theirs if number == frame]
    same = next((n for n, (a, b) in enumerate(zip(*now, strict=False)) if a != b), min(map(len, now)))
    ours, theirs = ours[same:], theirs[same:]
    if len(now[0]) > same and len(now[1]) > same:
        return _both_now(ours, theirs)
    here, there, name = (ours, theirs, "second") if len(now[0]) > same else (theirs, ours, "first")
    value = here[0][1]
    for number, other in there[:1]:
        if other == value:
            return Timing(False, f"= {_said(value)} came {number - frame} frames later in the {name} run")
    return Timing(False, f"= {_said(value)} is missing in the {name} run")


def _both_now(ours: Sent, theirs: Sent) -> Timing:
    """Both runs executed something in this frame. One of them may be a command ahead."""
    one, other = ours[0][1], theirs[0][1]
    for here, there, name in ((ours, theirs, "second"), (theirs, ours, "first")):
        if len(here) > 1 and here[1][1] == there[0][1] and here[1][0] == here[0][0]:
            return Timing(False, f"= {_said(here[0][1])} is missing in the {name} run")
    return Timing(True, f"= {_said(one)} in the first run, {_said(other)} in the second")


def _said(value: float | bytes) -> str:
    return repr(value) if isinstance(value, float | int) else f"{len(value)} bytes"
