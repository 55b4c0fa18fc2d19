"""What a robot's program has declared, what supervisors made of it, and what the program has yet to be told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.protocol.names import LOG, PARAMETER
from ubersim.protocol.parameters import Declaration, ParameterValue, encode_change
from ubersim.protocol.suggestion import suggestion

MOST_PARAMETERS = 256
"""Of one program."""
MOST_NEWS = 4096
"""Changes that a program may have yet to be told of: time may stand still while supervisors change them."""


class RobotParameters:
    """They belong to the program: nothing in the simulation depends on them, and no snapshot has them."""

    def __init__(self) -> None:
        self.declared: dict[str, Declaration] = {}
        self.values: dict[str, ParameterValue] = {}
        """As the program has them, or will have them with its next frame."""
        self.news: list[tuple[str, ParameterValue]] = []
        """What the program is told with its next frame."""

    def declare(self, made: Declaration) -> None:
        """The program has another parameter, or another range for one that it has."""
        if made.name not in self.declared and len(self.declared) >= MOST_PARAMETERS:
            raise RemoteProtocolError(f"a program may declare {MOST_PARAMETERS} parameters")
        self.declared[made.name], self.values[made.name] = made, made.value

    def change(self, name: str, value: ParameterValue) -> None:
        """From the program's next frame on the parameter has this value."""
        if name not in self.declared:
            raise UberSimError(f"the program has declared no parameter {name!r}; {suggestion(name, self.declared)}")
        if flaw := self.declared[name].flaw(value):
            raise UberSimError(flaw)
        if len(self.news) >= MOST_NEWS:
            raise UberSimError(f"the program has yet to be told of {MOST_NEWS} changes")
        self.values[name] = value
        self.news.append((name, value))

    def take_news(self, time: float) -> list[tuple[str, bytes]]:
        """Messages for the frame of this time [s]."""
        told = [(PARAMETER, encode_change(time, name, value)) for name, value in self.news]
        self.news.clear()
        return told

    def now(self) -> list[Declaration]:
        """What is declared, with the values of now; whether anything listens to logs is the server's own business."""
        return [replace(made, value=self.values[name]) for name, made in self.declared.items() if name != LOG]

    def to_json(self) -> dict[str, Any]:
        """By name: what was declared, with the value that it has now."""
        return {made.name: made.to_json() for made in self.now()}

    def clear(self) -> None:
        """Another program takes over."""
        self.declared.clear()
        self.values.clear()
        self.news.clear()
