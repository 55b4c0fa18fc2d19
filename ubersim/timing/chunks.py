"""Plans of several actions, one after the other: what is left of an older plan gives way to a newer one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ubersim.timing.latency import frame_at

Handover = Literal["replace", "blend"]
Planned = tuple[int, list[float]]
"""A frame, and what is to be commanded in it."""


@dataclass(frozen=True)
class Chunk:
    """Several values for each of some properties."""

    targets: tuple[tuple[str, str], ...]
    """Components and names of their properties."""
    rows: list[list[float]]
    """For each instant a value for each of these."""
    seconds: float
    """From one instant to the next."""
    handover: Handover = "replace"
    """What becomes of an older one."""

    @staticmethod
    def of(actions: Mapping[tuple[str, str], Sequence[float]], seconds: float, handover: Handover) -> Chunk:
        """From a series of values for each property."""
        lengths = {len(series) for series in actions.values()}
        if len(lengths) != 1 or not lengths.isdisjoint({0}):
            raise ValueError(f"the series of a chunk have equal lengths above 0, not {sorted(lengths)}")
        if not 0.0 < seconds < math.inf:
            raise ValueError(f"the actions of a chunk follow each other by a time above 0, not {seconds} s")
        rows = [list(map(float, row)) for row in zip(*actions.values(), strict=True)]
        return Chunk(tuple(actions), rows, seconds, handover)


class ChunkPlan:
    """The actions that a program has planned, each with the frame for which it is stamped.

    A newer plan replaces what is left of the older one. Or it is blended into it: where both have something to say, the
    weight goes from the older to the newer, so that the robot is not jerked where they meet.
    """

    def __init__(self, step: float, handover: Handover = "replace") -> None:
        if handover not in ("replace", "blend"):
            raise ValueError(f"a newer plan is to replace the older or to blend into it, not to {handover!r}")
        self._step, self.handover = step, handover
        self._planned: list[Planned] = []

    def clear(self) -> None:
        """Forgets all plans."""
        self._planned = []

    def take(self, start: int, seconds: float, rows: Sequence[Sequence[float]]) -> list[Planned]:
        """A new plan, whose actions begin at a frame and follow each other that many seconds apart."""
        begin, step = start * self._step, self._step
        planned = [(frame_at(begin + number * seconds, step), list(row)) for number, row in enumerate(rows)]
        if self.handover == "blend":
            planned = self._blended(planned)
        self._planned = [entry for entry in self._planned if entry[0] < start][-1:] + planned
        return planned

    def _blended(self, planned: list[Planned]) -> list[Planned]:
        last = self._planned[-1][0] if self._planned else -1
        both = sum(frame <= last for frame, _ in planned)
        mixed = []
        for index, (frame, row) in enumerate(planned):
            if index < both:
                weight = (index + 1) / (both + 1)
                row = [(1 - weight) * old + weight * new for old, new in zip(self._at(frame, row), row, strict=True)]
            mixed.append((frame, row))
        return mixed

    def _at(self, frame: int, otherwise: list[float]) -> list[float]:
        """What the plan so far says for a frame: its last action until then."""
        return next((row for planned, row in reversed(self._planned) if planned <= frame), otherwise)
