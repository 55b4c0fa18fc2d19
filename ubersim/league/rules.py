"""The rules of a league as data: a file in leagues/, or what a match file says instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ubersim.description.resources import shipped
from ubersim.errors import UberSimError
from ubersim.files import read_text
from ubersim.league.yaml_file import mapping_of
from ubersim.protocol.suggestion import suggestion

Place = tuple[float, float]


@dataclass(frozen=True)
class Limit:
    """How long something may go on [s], within which distance [m], and above which speed [m/s]."""

    seconds: float
    distance: float
    speed: float = 0.0


@dataclass(frozen=True)
class Formation:
    """Where robots stand at a kick-off: across in half widths, along in half lengths, with the own goal at -1."""

    ours: tuple[Place, ...]
    """Of the team that kicks off."""
    theirs: tuple[Place, ...]


@dataclass(frozen=True)
class Rules:
    """What a referee goes by; distances in metres, times in seconds."""

    league: str
    half: float
    halves: int
    pause: float
    """Between the halves."""
    ready: float
    """From placing the ball to the whistle."""
    robot_radius: float
    touch: float
    """From a robot's middle to that of a ball that it touches."""
    free_radius: float
    """What opponents keep away from the ball when it is put down."""
    inset: float
    """Inside the lines: where a ball is put that went out."""
    holding: Limit
    """The same robot at the ball, which gets no farther."""
    pushing: Limit
    """Two robots in touch, one of them driving into the other."""
    stuck: Limit
    """The ball, which gets no farther."""
    formation: Formation


def rules_of(league: str, changes: Mapping[str, Any] | None = None) -> Rules:
    """The rules of a league that comes along, with some of them changed."""
    try:
        text = read_text(shipped(f"leagues/{league}.yaml"))
    except FileNotFoundError:
        raise UberSimError(f"there are no rules of a league {league!r}; there are msl and ssl") from None
    given = dict(mapping_of(text, f"leagues/{league}.yaml"))
    known = [field.name for field in dataclasses.fields(Rules)]
    for name, value in (changes or {}).items():
        if name not in known:
            raise UberSimError(f"there is no rule {name!r}; {suggestion(name, known)}")
        given[name] = {**given[name], **value} if isinstance(value, Mapping) else value
    return rules_from(given, f"the rules of {league}")


def rules_from(given: Mapping[str, Any], source: str) -> Rules:
    """Rules from a dictionary."""
    try:
        formation = given["formation"]
        places = {side: tuple((float(x), float(y)) for x, y in formation[side]) for side in ("ours", "theirs")}
        limits = {
            name: Limit(**{key: float(value) for key, value in given[name].items()})
            for name in ("holding", "pushing", "stuck")
        }
        whole = {"league": str(given["league"]), "halves": int(given["halves"]), "formation": Formation(**places)}
        numbers = {key: float(value) for key, value in given.items() if key not in whole | limits}
        everything: dict[str, Any] = {**whole, **limits, **numbers}
        return Rules(**everything)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UberSimError(f"{source}: {error!r:.200} is missing or not as it should be") from None
