"""`Push`: a force acts for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.errors import UberSimError
from ubersim.geometry import Triple
from ubersim.supervision.arguments import Range
from ubersim.supervision.command import Effect, SupervisorCommand
from ubersim.supervision.context import CommandContext

LONGEST = 3600.0
"""That a force may act [s]."""
LARGEST = 1e9
"""Of all numbers [N, m]."""


@dataclass(frozen=True, kw_only=True)
class Push(SupervisorCommand):
    """Lets a force act on a body from this frame on, for a while."""

    effect: ClassVar[Effect] = Effect.TOLD
    body: str
    """`Robot/Body`, or the name of an object of the world; a robot's name alone means its first body."""
    force: Triple
    """In world axes [N]."""
    seconds: Annotated[float, Range(0.0, LONGEST)]
    """For how long, in simulated time, rounded up to whole frames [s]."""
    point: Triple = (0.0, 0.0, 0.0)
    """Where, seen from the body's centre of mass, in the body's own axes [m]."""

    def execute(self, context: CommandContext) -> None:
        if max(map(abs, (*self.force, *self.point))) > LARGEST:
            raise UberSimError(f"Push: no number may be larger than {LARGEST:g}")
        context.simulation.push(self.body, self.force, self.seconds, self.point)
