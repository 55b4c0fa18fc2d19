"""What a supervisor's command is: a dataclass whose fields are its arguments, and what it does."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any, ClassVar, Self, get_type_hints

from ubersim.supervision.arguments import arguments_of, read_arguments
from ubersim.supervision.context import CommandContext


class Effect(Enum):
    """What a command does to a simulation, as far as its observers are concerned, such as a log."""

    NONE = auto()
    """Nothing that physics depends on."""
    TOLD = auto()
    """Something of which the simulation itself tells its observers."""
    LOGGED = auto()
    """Something that executing the command once more does once more: observers are told of it, a replay executes it."""
    NOTED = auto()
    """Something that a log has among the robots' commands: observers are told of it, a replay does not execute it."""


@dataclasses.dataclass(frozen=True)
class Reply:
    """What a command has to say; the fields of a class of its own are what `Done` carries beside `id` and `frame`."""

    def to_json(self) -> dict[str, Any]:
        """By name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class SupervisorCommand(ABC):
    """One kind of request. It is executed within a frame: after the sensors, before the robots' commands and the step.

    `class SetLatency(SupervisorCommand, verb="Latency")` if requests call it otherwise than the class.
    """

    verb: ClassVar[str]
    """What requests call it."""
    effect: ClassVar[Effect] = Effect.LOGGED
    """What it does to the simulation, and how observers hear of that."""
    settled: ClassVar[bool] = False
    """Whether it waits until every client has answered the current frame."""
    timeless: ClassVar[bool] = True
    """Whether the simulation's frame number, and what its clients have been sent, stay as they are."""
    overtakes: ClassVar[bool] = False
    """Whether it is executed even while an earlier request of the same supervisor has yet to be answered."""

    def __init_subclass__(cls, *, verb: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls.verb = verb or cls.__name__

    @abstractmethod
    def execute(self, context: CommandContext) -> Reply | None:
        """Does it now. The annotated type of what it returns is what it replies; None if there is nothing to say."""

    def next_frame(self, context: CommandContext) -> int | None:
        """Of a command that takes frames: the next one in which it has to be asked this again; None if it is done."""
        return None

    def arguments(self) -> dict[str, Any]:
        """As JSON values, complete."""
        return {name: getattr(self, argument.field) for name, argument in arguments_of(type(self)).items()}

    @classmethod
    def read(cls, arguments: Mapping[str, Any]) -> Self:
        """From JSON values."""
        return cls(**read_arguments(cls.verb, cls, arguments))

    @classmethod
    def reply_type(cls) -> type[Reply]:
        """What `execute` is annotated to return; `Reply` itself says nothing."""
        returned = get_type_hints(cls.execute)["return"]
        return returned if isinstance(returned, type) and issubclass(returned, Reply) else Reply
