"""A program's own parameters, as it sees them: what is changed from outside counts from an exact frame on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ubersim.errors import RemoteProtocolError
from ubersim.protocol.names import PARAMETER
from ubersim.protocol.parameters import Declaration, ParameterValue, declaration, decode_change


@dataclass(slots=True)
class Parameter:
    """One of them. Ask for its `value` in every frame: supervisors and people at the page may change it."""

    declaration: Declaration
    value: ParameterValue
    changed: float = 0.0
    """Time of the frame from which on it has this value [s]; 0 until it is changed."""

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __str__(self) -> str:
        return str(self.value)


class ParameterDeclarer(ABC):
    """Where a program can declare parameters: a robot, or a module of the control kit."""

    def parameter(
        self,
        name: str,
        value: ParameterValue,
        *,
        low: float | None = None,
        high: float | None = None,
        choices: Sequence[str] = (),
    ) -> Parameter:
        """Declares a parameter of the program, as in `gain = robot.parameter("gain", 12.0, low=0, high=50)`.

        Supervisors and people at the live page may change it; `gain.value` is what it is from this frame on. A number,
        a bool (a switch), a text, or with `choices` one of them. Over the wire it takes version 2 of the protocol.
        """
        return self.declare(declaration(name, value, low=low, high=high, choices=choices))

    @abstractmethod
    def declare(self, made: Declaration) -> Parameter:
        """The same, for a declaration that is there already."""


class ProgramParameters:
    """All that a program has declared."""

    def __init__(self) -> None:
        self.by_name: dict[str, Parameter] = {}

    def declare(self, made: Declaration) -> Parameter:
        """One more, or the same once more."""
        parameter = self.by_name[made.name] = Parameter(made, made.value)
        return parameter

    def sift(self, readings: Sequence[tuple[str, bytes]]) -> Sequence[tuple[str, bytes]]:
        """Takes what the messages of a frame say of parameters, and leaves the readings."""
        if not self.by_name:
            return readings
        for name, payload in readings:
            if name == PARAMETER:
                self.change(*decode_change(payload))
        return [reading for reading in readings if reading[0] != PARAMETER]

    def change(self, time: float, name: str, value: ParameterValue) -> None:
        """From the frame of this time [s] on it has this value."""
        parameter = self.by_name.get(name)
        if parameter is None or parameter.declaration.flaw(value):
            raise RemoteProtocolError(
                f"the server sets {name!r} to {repr(value)[:80]}, which the program did not declare"
            )
        parameter.value, parameter.changed = value, time
