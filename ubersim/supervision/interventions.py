"""The one place where commands are executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ubersim.simulation import Simulation
from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext
from ubersim.supervision.registry import read_command


class Interventions:
    """What is done to one simulation by the program that owns it, without a server."""

    def __init__(self, simulation: Simulation) -> None:
        self._context = CommandContext(simulation, snapshots={})

    def execute(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Does it in the current frame, and returns what there is to say about it."""
        return execute(read_command(verb, arguments), self._context).to_json()

    def repeat(self, verb: str, arguments: Mapping[str, Any]) -> None:
        """Does once more what a log says, unless the log has the effects of it among the robots' commands."""
        command = read_command(verb, arguments)
        if command.effect is Effect.LOGGED:
            execute(command, self._context)


def execute(command: SupervisorCommand, context: CommandContext) -> Reply:
    """Does what a command says, and tells the observers."""
    reply = command.execute(context) or Reply()
    if command.effect in (Effect.LOGGED, Effect.NOTED):
        for observer in context.simulation.observers:
            observer.intervened(command.verb, command.arguments())
    return reply
