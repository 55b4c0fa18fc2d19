"""`Rate`: how fast time may go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from ubersim.errors import UberSimError
from ubersim.supervision.arguments import Range
from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext

SLOWEST, FASTEST = 1e-3, 1e6
"""Times real time."""


@dataclass(frozen=True)
class RateReply(Reply):
    """What holds from now on."""

    rate: float
    """Times real time."""


@dataclass(frozen=True, kw_only=True)
class Rate(SupervisorCommand):
    """Lets time go no faster than real time, times a number."""

    effect: ClassVar[Effect] = Effect.NONE
    rate: Annotated[float, Range(0.0, FASTEST)] = 0.0
    """Times real time; 0: as fast as it goes."""

    def execute(self, context: CommandContext) -> RateReply:
        if 0.0 < self.rate < SLOWEST:
            raise UberSimError(f"Rate: rate is 0, or {SLOWEST:g} to {FASTEST:g}, not {self.rate:g}")
        context.server.clock.change_rate(self.rate)
        return RateReply(self.rate)
