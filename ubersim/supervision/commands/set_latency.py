"""`Latency`: a robot's commands take another time from now on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class SetLatency(SupervisorCommand, verb="Latency"):
    """Changes a robot's actuation latency: of the commands that are stamped after the next frame."""

    effect: ClassVar[Effect] = Effect.NOTED
    robot: str
    """Its name."""
    milliseconds: float
    """The new one; constant, whatever model there was [ms]."""

    def execute(self, context: CommandContext) -> None:
        # A client may have acknowledged the frame that is under way, but not the next one.
        context.robot(self.robot).commands.change_latency(context.simulation.frame + 1, self.milliseconds)
