"""`Snapshot`: the state of everything is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext

MOST_SNAPSHOTS = 64
"""That are kept at once; each may hold megabytes of pictures on their way."""


@dataclass(frozen=True, kw_only=True)
class TakeSnapshot(SupervisorCommand, verb="Snapshot"):
    """Keeps the state of everything, to the bit."""

    effect: ClassVar[Effect] = Effect.NONE
    settled: ClassVar[bool] = True
    label: str
    """Under this name; one of the same name is replaced."""

    def execute(self, context: CommandContext) -> None:
        if self.label not in context.snapshots and len(context.snapshots) >= MOST_SNAPSHOTS:
            raise UberSimError(f"Snapshot: {MOST_SNAPSHOTS} are kept already; take one of their labels")
        context.snapshots[self.label] = context.simulation.snapshot()
