"""`Reset`: back to the beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Reset(SupervisorCommand):
    """Back to frame 0: objects where they started, and robots as if all had joined there, where they spawned."""

    effect: ClassVar[Effect] = Effect.TOLD
    settled: ClassVar[bool] = True
    timeless: ClassVar[bool] = False

    def execute(self, context: CommandContext) -> None:
        context.simulation.reset()
