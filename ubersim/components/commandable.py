"""The one interface of everything that takes commands: joints, motors, motion models, sensors and solids.

A command sets a property, or it is a payload of the component's own: bytes whose meaning its type defines. Either is
checked when it comes, and executed when the robot's latency is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, error
from typing import Any

from ubersim.components.native_forms import NativeTarget
from ubersim.description.commanded import CommandedComponent
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.timing.latency import NEVER

Command = tuple[str, int, float | bytes]
"""Component, number of the property, value; or component, `OWN_PAYLOAD`, payload."""
_SINGLE, _DOUBLE = Struct("<f"), Struct("<d")


class Commandable:
    """A component of a robot in the world, as commands see it."""

    next_frame: int = NEVER
    """The next frame in which it has anything to do by itself."""

    def __init__(self, description: CommandedComponent, properties: Mapping[str, int] | None = None) -> None:
        self.description = description
        self.name = description.name
        self.properties = description.properties() if properties is None else properties
        """Names and numbers of what can be set at run time."""
        self._names = {number: name for name, number in self.properties.items()}

    @property
    def accepted(self) -> frozenset[int]:
        """The numbers that commands may have, `OWN_PAYLOAD` among them if it takes payloads."""
        return frozenset([*self._names, OWN_PAYLOAD] if self.description.payload else self._names)

    def check(self, number: int, value: float) -> None:
        """Refuses a value that a property cannot have, before anything depends on it."""
        if (reason := self.description.refusal(number, value)) is not None:
            raise RemoteProtocolError(f"{self._names[number]} of {self.name!r} cannot be {value:g}: {reason}")

    def set(self, number: int, value: float, frame: int) -> None:
        """Sets a property in this frame."""
        raise NotImplementedError

    def native_target(self, number: int) -> NativeTarget | None:
        """What setting a property is to the native lane; None: it leaves that to Python."""
        return None

    def check_payload(self, payload: bytes) -> None:
        """Refuses a payload that says nothing to this component."""
        try:
            self.description.decoded(payload)
        except ValueError as error:
            raise RemoteProtocolError(f"a payload of {len(payload)} bytes for {self.name!r}: {error}") from None

    def execute(self, payload: bytes, frame: int) -> None:
        """Does in this frame what a payload says."""
        raise NotImplementedError


def as_number(value: float) -> float:
    """A value that a program gave, as a float; refuses what is no number, texts with digits among them."""
    try:
        return float(_DOUBLE.unpack(_DOUBLE.pack(value))[0])
    except error:
        raise UberSimError(f"a property is set to a number, not to {value!r}") from None


def single(value: float) -> float:
    """A value as it is on the wire, in single precision."""
    try:
        return float(_SINGLE.unpack(_SINGLE.pack(value))[0])
    except error:
        raise UberSimError(f"a property is set to a number, not to {value!r}") from None
    except OverflowError:
        raise UberSimError(f"{value} does not fit into single precision") from None


def payload_size(command: Command) -> int:
    """Bytes that a command holds beyond a number."""
    value = command[2]
    return len(value) if isinstance(value, bytes) else 0


def component_of(command: Command) -> str:
    """Whom a command is for."""
    return command[0]


def to_plain(command: tuple[Any, ...]) -> list[Any]:
    """A command, whose last part is its value or payload, as JSON values; for snapshots."""
    *head, value = command
    return [*head, value.hex() if isinstance(value, bytes) else value]


def from_plain(plain: list[Any]) -> tuple[Any, ...]:
    """The opposite of `to_plain`."""
    *head, value = plain
    return (*head, bytes.fromhex(value) if isinstance(value, str) else value)


def command_from_plain(plain: list[Any]) -> Command:
    """A command as a snapshot has it."""
    component, number, value = from_plain(plain)
    return component, number, value
