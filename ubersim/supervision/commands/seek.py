"""`Seek`: another frame of a log that is replayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.arguments import Range
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext


@dataclass(frozen=True, kw_only=True)
class Seek(SupervisorCommand):
    """Goes to a frame of the log, forwards or backwards; time stands still there if it did before."""

    effect: ClassVar[Effect] = Effect.NONE
    to: Annotated[int, Range(0, 10**12)]
    """The frame, as the log counts."""

    def execute(self, context: CommandContext) -> None:
        timeline = context.server.timeline
        if timeline is None:
            raise UberSimError("Seek is for logs that are replayed; a running world goes back by Restore")
        if not timeline.first <= self.to <= timeline.last:
            raise UberSimError(f"Seek: the log has the frames {timeline.first} to {timeline.last}, not {self.to}")
        timeline.go(self.to)
