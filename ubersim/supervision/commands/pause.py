"""`Pause`: time stands still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Pause(SupervisorCommand):
    """Lets time stand still; a step that is under way ends."""

    effect: ClassVar[Effect] = Effect.NONE
    overtakes: ClassVar[bool] = True

    def execute(self, context: CommandContext) -> None:
        context.server.clock.pause()
