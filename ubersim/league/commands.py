"""What supervisors may ask of a match: the referee's status, and the commands that steer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from ubersim.description import read_robot
from ubersim.errors import UberSimError
from ubersim.league.inside_players import Players
from ubersim.league.player import make_player
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


def players_of(simulation: Simulation) -> Players:
    """The players of a simulation; the first call makes room for them."""
    found = next((actor for actor in simulation.actors if isinstance(actor, Players)), None)
    return Players(simulation) if found is None else found


@dataclass(frozen=True)
class PlayersReply(Reply):
    """Who plays."""

    players: list[str]


@dataclass(frozen=True, kw_only=True)
class PlayerCommand(SupervisorCommand, verb="Player"):
    """Starts and stops players inside the server, of those that are installed there."""

    effect: ClassVar[Effect] = Effect.TOLD
    do: Literal["list", "start", "stop"] = "list"
    player: str | None = None
    """Its name among those that are installed."""
    xml: str | None = None
    """The document of its robot."""
    name: str | None = None
    """The robot whose player is stopped."""
    options: tuple[str, ...] = ()
    """For the player, such as `policy=block`."""

    def execute(self, context: CommandContext) -> PlayersReply:
        players = players_of(context.simulation)
        if self.do == "start":
            if self.player is None or self.xml is None:
                raise UberSimError("Player: start needs player and xml")
            if ":" in self.player:
                raise UberSimError(f"Player: {self.player!r} is no name of an installed player")
            made = make_player(self.player, dict(map(_option, self.options)))
            description = read_robot(self.xml, materials=context.simulation.materials, seed=context.simulation.seed)
            players.start(made, description)
        elif self.do == "stop":
            players.stop(self.name or "")
        return PlayersReply(players.names())


def _option(text: str) -> tuple[str, float | str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise UberSimError(f"Player: an option is NAME=VALUE, not {text[:80]!r}")
    try:
        return name, float(value)
    except ValueError:
        return name, value
