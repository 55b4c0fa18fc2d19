"""What became of everything in a file: taken, changed or dropped, with the line of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Outcome = Literal["taken", "changed", "dropped"]


@dataclass(frozen=True)
class ImportFinding:
    """One thing of the source."""

    outcome: Outcome
    line: int
    """In the source; 0: it has no line of its own."""
    what: str
    """Kind and name, e.g. `joint elbow`."""
    detail: str = ""
    """What was done to it, and why."""


@dataclass
class ImportReport:
    """All findings, in the order in which they were made."""

    source: str
    findings: list[ImportFinding] = field(default_factory=list)

    def taken(self, line: int, what: str, detail: str = "") -> None:
        """It is in the robot as it is in the file."""
        self.findings.append(ImportFinding("taken", line, what, detail))

    def changed(self, line: int, what: str, detail: str) -> None:
        """It is in the robot, but not as it is in the file."""
        self.findings.append(ImportFinding("changed", line, what, detail))

    def dropped(self, line: int, what: str, detail: str) -> None:
        """It is not in the robot."""
        self.findings.append(ImportFinding("dropped", line, what, detail))

    def of(self, outcome: Outcome) -> list[ImportFinding]:
        """Those of one outcome, in the order of the source."""
        return sorted((one for one in self.findings if one.outcome == outcome), key=lambda one: one.line)

    @property
    def losses(self) -> list[ImportFinding]:
        """What is not as it was."""
        return [*self.of("changed"), *self.of("dropped")]

    def summary(self) -> str:
        """The numbers, e.g. `30 taken, 2 changed, 1 dropped`."""
        counts = Counter(one.outcome for one in self.findings)
        return ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("taken", "changed", "dropped"))

    def __str__(self) -> str:
        return "\n".join([f"{self.source}: {self.summary()}", *self._rows()])

    def _rows(self) -> Iterator[str]:
        rows = [*self.of("taken"), *self.losses]
        width = min(max((len(one.what) for one in rows), default=0), 48)
        for one in rows:
            line = str(one.line) if one.line else ""
            yield f"{line:>6}  {one.outcome:<7}  {one.what:<{width}}  {one.detail}".rstrip()
