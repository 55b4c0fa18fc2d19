"""What a referee sees in one instant, and what it rules; no simulation is needed for either."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ubersim.league.rules import Place

STOPPED, READY, PLAY, HALF_TIME, OVER = 1, 2, 3, 4, 5
"""States of a match, as `RefereeSensor` tells them."""
STATES = ("no match", "stopped", "ready", "play", "half time", "over")

Restart = Literal["none", "kick-off", "throw-in", "goal kick", "corner", "free kick", "dropped ball"]
RESTARTS: tuple[Restart, ...] = (
    "none", "kick-off", "throw-in", "goal kick", "corner", "free kick", "dropped ball",
)  # fmt: skip
"""In the order of their numbers."""

Side = Literal["home", "away"]


def other(side: Side) -> Side:
    """The opponents."""
    return "away" if side == "home" else "home"


@dataclass(frozen=True)
class SeenRobot:
    """A robot of one of the teams."""

    name: str
    side: Side
    number: int
    place: Place
    velocity: Place = (0.0, 0.0)

    def distance(self, place: Place) -> float:
        """From its middle [m]."""
        return math.dist(self.place, place)


@dataclass(frozen=True)
class Situation:
    """Everything that counts, in one instant."""

    time: float
    """Since the match began [s]."""
    ball: Place
    height: float
    """Of the ball's middle [m]."""
    robots: tuple[SeenRobot, ...] = ()


@dataclass(frozen=True)
class Ruling:
    """One decision: what it is, for whom, where the ball goes, and whether all robots are put into formation."""

    kind: str
    """`goal`, `half time`, `over`, `whistle`, `halt`, `score`, `ball placed`, or what begins: see `RESTARTS`."""
    text: str
    side: Side | None = None
    """Whose it is."""
    place: Place | None = None
    """Where the ball is put; None: it stays."""
    formation: bool = False
