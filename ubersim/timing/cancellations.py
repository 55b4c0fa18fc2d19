"""Cancellations that concern commands which wait for the time of their stamp: what they drop is known when that comes.

Of one component, a later cancellation from an earlier frame on makes those before it needless. So what is left of them
grows in both, in order of arrival and in frames, and one look finds the one that counts, however many there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from ubersim.errors import RemoteProtocolError

MOST = 1024
"""That may be kept of one client."""


class Cancellations:
    """By component; the empty one means all."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[int, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, since: int, frame: int, component: str) -> None:
        """Commands that came before number `since`, for that component, are dropped from this frame on."""
        for name in [*self._known] if component == "" else [component]:
            entries = self._known.get(name, [])
            while entries and entries[-1][1] >= frame:
                entries.pop()
            if not entries:
                self._known.pop(name, None)
        if sum(map(len, self._known.values())) >= MOST:
            raise RemoteProtocolError(f"more than {MOST} cancellations wait for the time of stamps")
        self._known.setdefault(component, []).append((since, frame))

    def concern(self, component: str, number: int, frame: int) -> bool:
        """Whether a command is dropped: it came as this number, and would be executed in that frame."""
        for name in {"", component}:
            entries = self._known.get(name, ())
            place = bisect_right(entries, number, key=lambda entry: entry[0])
            if place < len(entries) and entries[place][1] <= frame:
                return True
        return False

    def clear(self) -> None:
        """There are no such commands any more."""
        self._known.clear()

    def state(self) -> list[list[int | str]]:
        """As plain data: since, frame, component."""
        entries = [(*entry, name) for name, known in self._known.items() for entry in known]
        return [list(entry) for entry in sorted(entries)]

    def restore(self, state: Iterable[tuple[int, int, str]]) -> None:
        """Goes on from what `state` returned."""
        self._known = {}
        for since, frame, name in state:
            self._known.setdefault(name, []).append((since, frame))
