"""A benchmark to learn against: seeded penalties and situations of open play against a goalkeeper of a known skill."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ubersim.description.world_file import Field
from ubersim.league.match import play, set_up
from ubersim.league.match_file import match_from
from ubersim.league.players.goalkeeper import POLICIES as POLICIES
from ubersim.league.rules import Place
from ubersim.league.situation import Ruling
from ubersim.simulation import Simulation
from ubersim.simulation.actor import Actor
from ubersim.supervision import Interventions
from ubersim.sweeps.executors import Workplace
from ubersim.sweeps.guard import guarded
from ubersim.timing.latency import NEVER, generator

LIMIT = 12.0
"""How long an attempt may take [s]."""
RULES = {"half": 10 * LIMIT, "ready": 0.1}
"""What is other than in the league's: nobody waits for long, and nobody's half ends."""
SHOOTER, KEEPER = "Shooter", "Keeper"
"""The two teams, of one robot each."""
_PATIENCE = 600.0
"""Real time for one of them [s]."""
_NORMAL = 1.959963984540054
"""Of a normal distribution, 95 % lie within so many standard deviations."""


@dataclass(frozen=True)
class Challenge:
    """Who shoots at whom, and where."""

    policy: str = "intercept"
    player: str = "dribbler"
    """Name of the player that shoots, `module:Class` or `file.py:Class`; unless a program does."""
    options: dict[str, Any] = field(default_factory=dict)
    program: tuple[str, ...] = ()
    world: str = "msl_12x8"
    level: str = "objects"
    step: float = 0.002
    seed: int = 0
    folder: str = "."
    """Where the player's or program's files are."""


@dataclass(frozen=True)
class Attempt:
    """One situation, and what came of it."""

    number: int
    kind: str
    """`penalty` or `open play`."""
    scored: bool
    seconds: float
    """Until it was decided."""
    how: str
    """`goal`, what the referee said otherwise, or `time is up`."""


def start_of(number: int, seed: int, field_: Field) -> tuple[str, Place, Place]:
    """Kind of a situation, where the ball lies and where the shooter stands; the goal is at the positive end of y."""
    chance = generator(seed, "goalkeeper benchmark", str(number))
    end = field_.length / 2
    if number % 2 == 0:
        ball = (0.0, end - field_.penalty_mark)
        return "penalty", ball, (float(chance.uniform(-0.5, 0.5)), ball[1] - 1.0)
    ball = (float(chance.uniform(-0.3, 0.3)) * field_.width, end - float(chance.uniform(0.2, 0.4)) * field_.length)
    around = float(chance.uniform(0, math.tau))
    away = float(chance.uniform(0.8, 2.0))
    return "open play", ball, (ball[0] + away * math.cos(around), ball[1] - abs(away * math.sin(around)))


class SituationStart(Actor):
    """Puts ball and shooter where a situation begins, once, after the referee has had them line up."""

    name = "situation"

    def __init__(self, simulation: Simulation, ball: Place, shooter: Place) -> None:
        self._simulation, self._ball, self._shooter = simulation, ball, shooter
        self._frame = simulation.frame + 1
        simulation.actors.append(self)

    @property
    def next_frame(self) -> int:
        return self._frame

    def act(self, frame: int) -> None:
        """Once."""
        self._frame = NEVER
        hands, height = Interventions(self._simulation), float(self._simulation.body("Ball").position[2])
        hands.execute("Teleport", {"thing": f"{SHOOTER}1", "position": (*self._shooter, 0.0), "overlap": "allow"})
        hands.execute("Teleport", {"thing": "Ball", "position": (*self._ball, height), "overlap": "allow"})


def attempt(challenge: Challenge, number: int) -> Attempt:
    """Lets one situation play out."""
    shooter: dict[str, Any] = {"player": challenge.player, **challenge.options}
    if challenge.program:
        shooter = {"program": list(challenge.program)}
    plan = match_from(
        {
            "world": challenge.world,
            "step": challenge.step,
            "seed": challenge.seed * 10_000 + number,
            "level": challenge.level,
            "wheels": "contact",
            "rules": RULES,
            "home": {"name": SHOOTER, "robots": [shooter]},
            "away": {"name": KEEPER, "robots": [{"player": "goalkeeper", "policy": challenge.policy}]},
        },
        Path(challenge.folder).resolve(),
    )
    decided: list[tuple[float, Ruling]] = []

    def told(time: float, ruling: Ruling) -> None:
        if ruling.kind not in ("kick-off", "whistle"):
            decided.append((time, ruling))

    match = set_up(plan, told=told)
    kind, ball, place = start_of(number, challenge.seed, match.referee.field)
    SituationStart(match.simulation, ball, place)
    play(match, frames=round(LIMIT / challenge.step), until=lambda: bool(decided))
    if not decided:
        return Attempt(number, kind, False, LIMIT, "time is up")
    time, ruling = decided[0]
    return Attempt(number, kind, ruling.kind == "goal" and ruling.side == "home", time, ruling.kind)


def run(
    challenge: Challenge, count: int, place: Workplace, told: Callable[[Attempt], None] = lambda attempt: None
) -> list[Attempt]:
    """So many situations, each in a process that may crash without harm."""
    futures: list[Future[Attempt]] = [
        place.executor.submit(guarded, attempt, challenge, number, limit=_PATIENCE) for number in range(count)
    ]
    found = []
    for future in futures:
        found.append(future.result())
        told(found[-1])
    return found


@dataclass(frozen=True)
class Score:
    """What all attempts come to."""

    attempts: int
    goals: int
    low: float
    high: float
    """Between these the share of goals lies, with 95 % confidence."""
    seconds: float
    """Of an attempt that led to a goal, on the average; not a number if none did."""

    def __str__(self) -> str:
        share = 100 * self.goals / self.attempts if self.attempts else math.nan
        bounds = f"{100 * self.low:.0f} to {100 * self.high:.0f} %"
        return f"{self.goals} of {self.attempts} ({share:.0f} %, {bounds}), {self.seconds:.1f} s per goal"


def score_of(attempts: Sequence[Attempt]) -> Score:
    """Goals, and Wilson's interval of their share."""
    count, goals = len(attempts), sum(one.scored for one in attempts)
    low, high = wilson(goals, count)
    times = [one.seconds for one in attempts if one.scored]
    return Score(count, goals, low, high, sum(times) / len(times) if times else math.nan)


def wilson(successes: int, count: int) -> tuple[float, float]:
    """The interval in which a share lies with 95 % confidence."""
    if count == 0:
        return 0.0, 1.0
    share, square = successes / count, _NORMAL**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = _NORMAL / (1 + square / count) * math.sqrt(share * (1 - share) / count + square / (4 * count**2))
    return max(0.0, middle - half), min(1.0, middle + half)
