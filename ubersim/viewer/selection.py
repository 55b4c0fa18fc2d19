"""One thing of the tree: a robot, an object, a static solid, or a part of a robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["Robot", "Object", "Solid", "Bodies", "Joints", "Motors", "Sensors"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PART_KINDS: tuple[Kind, ...] = ("Bodies", "Joints", "Motors", "Sensors")
"""What robots have."""
_KIND_WORDS = {"Robot": "robot", "Object": "object", "Solid": "static solid", "Bodies": "body", "Joints": "joint",
               "Motors": "motor", "Sensors": "sensor"}  # fmt: skip


@dataclass(frozen=True)
class Selection:
    """What is chosen, by name."""

    kind: Kind
    entity: str
    """The robot, the object or the solid."""
    part: str = ""
    """Of the robot."""

    @property
    def title(self) -> str:
        """As headings have it."""
        return f"{self.entity} / {self.part}" if self.part else self.entity

    @property
    def full_name(self) -> str:
        """`Robot/Part`, or the name of the thing."""
        return f"{self.entity}/{self.part}" if self.part else self.entity

    @property
    def kind_word(self) -> str:
        """What it is, in a word."""
        return _KIND_WORDS[self.kind]

    @property
    def key(self) -> str:
        """As one text; no name has the character between its parts."""
        return "|".join((self.kind, self.entity, self.part))

    @staticmethod
    def from_key(key: str) -> Selection:
        """The opposite of `key`; ValueError if it is none."""
        kind, entity, part = key.split("|")
        found = next((known for known in KINDS if known == kind), None)
        if found is None:
            raise ValueError(f"there is no kind {kind!r}")
        return Selection(found, entity, part)
