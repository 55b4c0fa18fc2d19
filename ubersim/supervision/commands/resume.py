"""`Resume`: time goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Resume(SupervisorCommand):
    """Lets time go on, also while no robot is there; a step that is under way ends."""

    effect: ClassVar[Effect] = Effect.NONE
    overtakes: ClassVar[bool] = True

    def execute(self, context: CommandContext) -> None:
        context.server.clock.resume()
