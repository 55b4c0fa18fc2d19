"""`Event`: a frame gets a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.supervision.arguments import Longest
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Event(SupervisorCommand):
    """Gives this frame a name, for the log; it changes nothing."""

    effect: ClassVar[Effect] = Effect.NONE
    label: Annotated[str, Longest(1000)]
    """The name."""

    def execute(self, context: CommandContext) -> None:
        context.simulation.mark(self.label)
