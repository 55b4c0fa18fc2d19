"""`Restore`: back to a snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Restore(SupervisorCommand):
    """Goes on from a snapshot, in the frame in which it was taken."""

    effect: ClassVar[Effect] = Effect.TOLD
    settled: ClassVar[bool] = True
    timeless: ClassVar[bool] = False
    label: str
    """Of the snapshot."""

    def execute(self, context: CommandContext) -> None:
        if self.label not in context.snapshots:
            known = ", ".join(context.snapshots) or "none"
            raise UberSimError(f"there is no snapshot {self.label!r}; there are {known}")
        context.simulation.restore(context.snapshots[self.label])
