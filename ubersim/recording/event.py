"""What changes the course of a run, apart from commands: robots that come and go, and the like."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from ubersim.description.messages import printable
from ubersim.description.value_types import is_name
from ubersim.errors import UberSimError
from ubersim.recording.damage import are_numbers, is_frame

TOPIC = "/ubersim/happenings"
Kind = Literal[
    "joined", "left", "exploded", "pushed", "intervened", "reset", "restoring", "restored", "marked", "unsolved"
]
_KINDS = {
    "robot": str,
    "document": str,
    "position": list,
    "rotation": list,
    "introduction": dict,
    "properties": dict,
    "snapshot": str,
    "arguments": dict,
    "label": str,
}
"""What JSON makes of the fields below."""
_LONGEST_WORDS = 100
"""Of an argument's value, where people read it."""


@dataclass(frozen=True)
class RecordedEvent:
    """Something that happened in a frame, after what stands before it in the log."""

    frame: int
    """As the log counts frames."""
    kind: Kind
    """`restored` is the only one after which the simulation's own frame number is another.

    `unsolved` says that the direct solver found no solution since the last block began, and the iterative one did.
    Robots that leave or join between `restoring` and `restored` do so because they are others in the snapshot.
    """
    robot: str = ""
    """Whom it concerns."""
    document: str = ""
    """The XML of a robot that joins."""
    position: list[float] = field(default_factory=list)
    """Where its model's origin was put [m]."""
    rotation: list[list[float]] = field(default_factory=list)
    """How the model was turned: a matrix."""
    introduction: dict[str, Any] = field(default_factory=dict)
    """What its client was told in the welcome: sensors, joints."""
    properties: dict[str, dict[str, int]] = field(default_factory=dict)
    """What commands may set: by component, names and numbers."""
    payloads: list[str] = field(default_factory=list)
    """The components that take payloads of their own."""
    snapshot: str = ""
    """What was restored, in base64."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """A force that acts from then on, or the arguments of a supervisor's command."""
    label: str = ""
    """The name of an instant, or of a supervisor's command."""

    def property_name(self, component: str, number: int) -> str:
        """What a command of that number sets: `LMotor.Vel`; the number itself, if the robot has no such property."""
        names = {number: name for name, number in self.properties.get(component, {}).items()}
        return f"{component}.{names.get(number, number)}"

    def encode(self) -> bytes:
        """The message's bytes; what is empty is left out."""
        return json.dumps({name: value for name, value in asdict(self).items() if value or name == "frame"}).encode()

    @staticmethod
    def decode(data: bytes) -> RecordedEvent:
        """The opposite of `encode`."""
        try:
            event = RecordedEvent(**json.loads(data))
            flaw = next((what for what, sound in event._checks() if not sound), "")
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise UberSimError(f"an event of this log cannot be read: {error!r:.300}") from None
        if flaw:
            raise UberSimError(f"an event of this log is damaged or forged: {flaw}")
        return event

    def _checks(self) -> Iterator[tuple[str, bool]]:
        """What holds in every event that was recorded; in this order, for one may rely on those before it."""
        yield "its frame", is_frame(self.frame)
        yield "its kind", self.kind in get_args(Kind)
        for name, kind in _KINDS.items():
            yield f"its {name}", isinstance(getattr(self, name), kind)
        joined = self.kind == "joined"
        yield "its robot", is_name(self.robot) if joined or self.robot else self.kind != "left"
        yield "its position", are_numbers(self.position, 3) if joined else not self.position
        rows = self.rotation
        yield "its rotation", len(rows) == 3 and all(are_numbers(row, 3) for row in rows) if joined else not rows
        numbers = [own for component in self.properties.values() for own in component.values()]
        yield "its properties", all(isinstance(number, int) for number in numbers)

    @property
    def snapshot_bytes(self) -> bytes:
        """What was restored."""
        try:
            return base64.b64decode(self.snapshot, validate=True)
        except ValueError as error:
            raise UberSimError(f"the snapshot of frame {self.frame} cannot be read: {error}") from None

    @property
    def described(self) -> str:
        """For people: what it is, with the arguments of a supervisor's command or the force that acts."""
        told = ", ".join(f"{name} {_short(value)}" for name, value in self.arguments.items() if value is not None)
        return printable(f"{self}: {told}" if told else str(self))

    def __str__(self) -> str:
        return " ".join(part for part in (self.robot, self.kind, printable(self.label)) if part)


def _short(value: Any) -> str:
    """Documents and the like are too long for a line."""
    text = value if value and isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_WORDS else f"{text[:_LONGEST_WORDS]}..."
