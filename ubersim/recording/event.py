"""What changes the course of a run, apart from commands: robots that come and go, and the like."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

TOPIC = "/ubersim/happenings"
Kind = Literal["joined", "left", "exploded", "pushed", "intervened", "reset", "restoring", "restored", "marked"]


_TOKEN = re.compile(r"<Token\b[^>]*>.*?</Token\s*>", re.DOTALL)


def without_token(document: str) -> str:
    """A robot's document as it goes into a log, which people send to each other: its secret stays out."""
    return _TOKEN.sub("", document)


@dataclass(frozen=True)
class RecordedEvent:
    """Something that happened in a frame, after what stands before it in the log."""

    frame: int
    """As the log counts frames."""
    kind: Kind
    """`restored` is the only one after which the simulation's own frame number is another.

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

    def encode(self) -> bytes:
        """The message's bytes; what is empty is left out."""
        return json.dumps({name: value for name, value in asdict(self).items() if value or name == "frame"}).encode()

    @staticmethod
    def decode(data: bytes) -> RecordedEvent:
        """The opposite of `encode`."""
        return RecordedEvent(**json.loads(data))

    @property
    def snapshot_bytes(self) -> bytes:
        """What was restored."""
        return base64.b64decode(self.snapshot)

    def __str__(self) -> str:
        return " ".join(part for part in (self.robot, self.kind, self.label) if part)
