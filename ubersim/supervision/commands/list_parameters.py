"""`Parameters`: what robots' programs have declared, and how it is set now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True)
class ParametersReply(Reply):
    """What `Parameters` answers."""

    parameters: dict[str, Any]
    """By robot and name: kind, value, limits, choices."""


@dataclass(frozen=True, kw_only=True)
class Parameters(SupervisorCommand):
    """Says what robots' programs have declared."""

    effect: ClassVar[Effect] = Effect.NONE

    def execute(self, context: CommandContext) -> ParametersReply:
        robots = context.simulation.robots
        return ParametersReply({name: robot.parameters.to_json() for name, robot in robots.items()})
