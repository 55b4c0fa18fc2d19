"""`Remove`: a robot or a spawned object leaves the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Remove(SupervisorCommand):
    """Takes a robot or a spawned object out of the world; a robot's client is told so, and has to go."""

    effect: ClassVar[Effect] = Effect.TOLD
    thing: str
    """Its name."""

    def execute(self, context: CommandContext) -> None:
        if self.thing in context.simulation.objects:
            raise UberSimError(f"{self.thing!r} is part of the world's file and stays; Teleport puts it out of the way")
        context.simulation.remove(self.thing)
