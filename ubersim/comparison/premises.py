"""What two runs had been given before anything happened: step, seed, world, materials, robots, versions."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from functools import cached_property

from ubersim.description import RobotDescription, read_robot
from ubersim.description.materials_file import read_materials
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log

_NOT_VERSIONS = {"step", "seed", "frame", "format"}


@dataclass
class Premises:
    """Those of two logs. A difference here is no difference of the runs yet, but explains one."""

    a: Log
    b: Log
    documents: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of robots whose documents differ, by name: both of them."""

    def joined(self, one: RecordedEvent, other: RecordedEvent) -> None:
        """Robots of the same name have joined both runs."""
        if one.document != other.document:
            self.documents[one.robot] = one.document, other.document

    @cached_property
    def seeds(self) -> str:
        """How the seeds differ; empty if they do not."""
        return "" if self.a.seed == self.b.seed else f"the seeds are {self.a.seed} and {self.b.seed}"

    @cached_property
    def versions(self) -> str:
        """What else they ran with that differs."""
        names = sorted((self.a.facts.keys() | self.b.facts.keys()) - _NOT_VERSIONS)
        pairs = ((name, self.a.facts.get(name, "none"), self.b.facts.get(name, "none")) for name in names)
        return "; ".join(f"{name}: {one} and {other}" for name, one, other in pairs if one != other)

    @cached_property
    def surroundings(self) -> str:
        """How world and materials differ."""
        texts = (("the world", self.a.world, self.b.world), ("the materials", self.a.materials, self.b.materials))
        return "; ".join(f"{what}: {first_change(one, other)}" for what, one, other in texts if one != other)

    def document(self, robot: str) -> str:
        """How the documents of a robot differ."""
        return first_change(*self.documents[robot]) if robot in self.documents else ""

    def description(self, joined: RecordedEvent) -> RobotDescription:
        """The robot of the first log."""
        return read_robot(joined.document, materials=read_materials(self.a.materials))

    def __str__(self) -> str:
        documents = "; ".join(f"{robot}'s document: {self.document(robot)}" for robot in self.documents)
        return "; ".join(part for part in (self.seeds, self.surroundings, documents, self.versions) if part)


def first_change(one: str, other: str) -> str:
    """The first line in which two texts differ, both ways of it; XML's comments and declaration count for nothing."""
    lines = _meant(one), _meant(other)
    before, after = ([line for _, line in numbered] for numbered in lines)
    for _, a, a_end, b, b_end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        was, becomes = before[a:a_end], after[b:b_end]
        if was != becomes:
            line = lines[0][a][0] if a < len(before) else len(one.splitlines()) + 1
            return f"line {line}, {_part(was, becomes)} and {_part(becomes, was)}"
    return "line ends, or comments"


def _meant(text: str) -> list[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    said = re.sub(r"<!--.*?-->|<\?xml.*?\?>", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    return [(number, line) for number, line in enumerate(said.splitlines(), 1) if line.strip()]


def _part(lines: list[str], others: list[str]) -> str:
    """The first of the lines, cut to about where it begins to differ."""
    if not lines:
        return "nothing"
    line, other = lines[0], others[0] if others else ""
    same = next((n for n, (x, y) in enumerate(zip(line, other, strict=False)) if x != y), min(len(line), len(other)))
    start = max(0, same - 30)
    return f"`{line[start : start + 60].strip()}`"
