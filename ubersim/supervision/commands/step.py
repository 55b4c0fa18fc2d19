"""`Step`: time goes on for a number of frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.supervision.arguments import Range
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext

LONGEST_STEP = 10**9
"""Frames."""


@dataclass(frozen=True, kw_only=True)
class Step(SupervisorCommand):
    """Lets that many frames pass, then time stands still; it is answered then."""

    effect: ClassVar[Effect] = Effect.NONE
    frames: Annotated[int, Range(0, LONGEST_STEP)] = 1
    """How many."""

    def execute(self, context: CommandContext) -> None:
        context.server.clock.step(self.frames)

    def next_frame(self, context: CommandContext) -> int | None:
        return context.server.clock.end_of_step
