"""What supervisors may ask of a match: the referee's status, and the commands that steer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from ubersim.errors import UberSimError
from ubersim.league.referee import Referee
from ubersim.simulation import Simulation
from ubersim.supervision.arguments import Range
from ubersim.supervision.command import Effect, Reply, SupervisorCommand
from ubersim.supervision.context import CommandContext

Coordinate = Annotated[float, Range(-1000.0, 1000.0)]


def referee_of(simulation: Simulation) -> Referee:
    """The referee of a simulation, if there is one."""
    found = next((actor for actor in simulation.actors if isinstance(actor, Referee)), None)
    if found is None:
        raise UberSimError("there is no referee here: start a match, with `ubersim match`")
    return found


@dataclass(frozen=True)
class RefereeStatus(Reply):
    """How the match stands."""

    match: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RefereeCommand(SupervisorCommand, verb="Referee"):
    """Tells how the match stands, and lets the referee do something before this frame is executed."""

    effect: ClassVar[Effect] = Effect.NONE
    """What follows from it, the referee does by commands of its own, which observers hear of."""

    do: Literal["status", "halt", "start", "reset", "ball", "goal"] = "status"
    """`reset` begins the match anew, `ball` puts it somewhere, `goal` counts one for a side."""
    side: Literal["home", "away"] | None = None
    """Whose goal it is."""
    x: Coordinate = 0.0
    """Where the ball goes [m]."""
    y: Coordinate = 0.0

    def execute(self, context: CommandContext) -> RefereeStatus:
        referee = referee_of(context.simulation)
        if self.do == "goal" and self.side is None:
            raise UberSimError("Referee: a goal needs a side: home or away")
        more = {"ball": f" {self.x!r} {self.y!r}", "goal": f" {self.side}"}.get(self.do, "")
        if self.do != "status":
            referee.command(self.do + more)
        return RefereeStatus(referee.status())
