"""Match files: a world, two teams of players or programs, what they sense, how long they play."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ubersim.description.resources import by_name, shipped, shipped_names
from ubersim.errors import UberSimError
from ubersim.files import read_text
from ubersim.league.situation import Side
from ubersim.league.yaml_file import mapping_of
from ubersim.protocol.suggestion import suggestion

MOST_ROBOTS = 32
COLORS: dict[Side, tuple[float, float, float]] = {"home": (0.1, 0.45, 0.95), "away": (0.95, 0.2, 0.15)}


@dataclass(frozen=True)
class RobotPlan:
    """One robot of a team: what it is, and who plays it."""

    number: int
    robot: str
    """File, or the name of one that comes along."""
    player: str = ""
    """Name of a player, `module:Class` or `file.py:Class`; empty: a program plays it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For the player's constructor."""
    program: tuple[str, ...] = ()
    """A command; {robot} is its document, {host} and {port} where the server is, {name}, {team}, {number} its own."""
    level: str = ""
    wheels: str = ""
    picture: int = 0
    frequency: float = 0.0


@dataclass(frozen=True)
class TeamPlan:
    """One of the two teams."""

    name: str
    color: tuple[float, float, float]
    robots: tuple[RobotPlan, ...]
    folder: Path = Path()
    """Where the files are that it names."""


@dataclass(frozen=True)
class MatchPlan:
    """All that decides about a match."""

    world: str
    home: TeamPlan
    away: TeamPlan
    seed: int = 0
    step: float | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    """What is other than in the league's rules."""
    radio: float | str = 20.0
    """Latency of all radios: milliseconds, or a model's element, which may have a `Loss`."""
    world_state: bool = False
    """Whether players are granted the whole truth."""
    commands: str = "supervisors"
    """Who may steer the referee: `supervisors`, or also `clients`."""
    limit: int = 2000
    """How long one call of a player may take, in frames of real time."""

    def team(self, side: Side) -> TeamPlan:
        """One of the two."""
        return self.home if side == "home" else self.away


_ROBOT = {field.name for field in dataclasses.fields(RobotPlan)} - {"number", "options"}
_TEAM = {"name", "color", "robots", "count"} | _ROBOT
_MATCH = {field.name for field in dataclasses.fields(MatchPlan)} | {"level", "wheels", "picture", "frequency"}


def load_match(path: Path) -> MatchPlan:
    """The match of a file, or one that comes along under that name."""
    if not path.exists() and not path.suffix:
        path = _shipped_match(path.name)
    return match_from(mapping_of(read_text(path), str(path)), path.resolve().parent, str(path))


def _shipped_match(name: str) -> Path:
    known = shipped_names("matches", "yaml")
    if name not in known:
        what = f"there is no match file {name!r}, and none of that name comes along"
        raise UberSimError(f"{what}; {suggestion(name, known)}")
    return shipped(f"matches/{name}.yaml")


def match_between(home: Path, away: Path, world: str = "msl_18x12") -> MatchPlan:
    """Two folders, each with a `team.yaml`."""
    return match_from({"world": world, "home": str(home), "away": str(away)}, Path.cwd(), "the match")


def match_from(given: Mapping[str, Any], folder: Path, source: str = "the match") -> MatchPlan:
    """The same from a dictionary."""
    _check(given, _MATCH, source)
    for needed in ("world", "home", "away"):
        if needed not in given:
            raise UberSimError(f"{source}: it has no {needed!r}")
    common = {key: given[key] for key in ("level", "wheels", "picture", "frequency") if key in given}
    teams = (
        _team(given["home"], "home", folder, common, source),
        _team(given["away"], "away", folder, common, source),
    )
    if teams[0].name == teams[1].name:
        raise UberSimError(f"{source}: both teams are called {teams[0].name!r}; give one of them a name")
    if given.get("commands", "supervisors") not in ("supervisors", "clients"):
        raise UberSimError(f"{source}: commands is supervisors or clients")
    rest = {key: value for key, value in given.items() if key not in ("world", "home", "away", *common)}
    world = str(given["world"])
    beside = folder / world
    return MatchPlan(str(beside if beside.is_file() else by_name(world, "worlds")), *teams, **rest)


def _team(given: Any, side: Side, folder: Path, common: Mapping[str, Any], source: str) -> TeamPlan:
    where = f"{source}: {side}"
    if isinstance(given, str):  # a folder with a team in it
        folder = (folder / given).resolve()
        given = mapping_of(read_text(folder / "team.yaml"), f"{folder / 'team.yaml'}")
        where = str(folder / "team.yaml")
    if not isinstance(given, Mapping):
        raise UberSimError(f"{where} is a folder, or has names with values")
    _check(given, _TEAM, where)
    shared = {**common, **{key: value for key, value in given.items() if key in _ROBOT}}
    entries = given.get("robots") or [{}] * int(given.get("count", 6))
    if not isinstance(entries, Sequence) or not 1 <= len(entries) <= MOST_ROBOTS:
        raise UberSimError(f"{where}: it has 1 to {MOST_ROBOTS} robots")
    robots = tuple(_robot(entry, number, shared, f"{where}, robot {number}")
                   for number, entry in enumerate(entries, start=1))  # fmt: skip
    color = tuple(float(part) for part in given.get("color", COLORS[side]))
    if len(color) != 3:
        raise UberSimError(f"{where}: a color has three numbers from 0 to 1")
    return TeamPlan(str(given.get("name", side)), color, robots, folder)


def _robot(entry: Any, number: int, shared: Mapping[str, Any], where: str) -> RobotPlan:
    entry = {"player": entry} if isinstance(entry, str) else dict(entry or {})
    if "player" in entry or "program" in entry:  # its own, instead of the team's
        shared = {key: value for key, value in shared.items() if key not in ("player", "program")}
    settings = {**shared, **entry}
    options = {key: settings.pop(key) for key in list(settings) if key not in _ROBOT}
    program = settings.pop("program", ())
    program = tuple(program.split()) if isinstance(program, str) else tuple(map(str, program))
    if bool(program) == bool(settings.get("player")):
        raise UberSimError(f"{where}: it needs a player or a program")
    if options and program:
        raise UberSimError(f"{where}: {', '.join(options)} would be a player's options, but a program plays it")
    settings.setdefault("robot", "msl_omni")
    return RobotPlan(number, options=options, program=program, **settings)


def _check(given: Mapping[str, Any], known: set[str], source: str) -> None:
    if unknown := sorted(set(given) - known):
        raise UberSimError(f"{source}: unknown {', '.join(unknown)}; {suggestion(unknown[0], sorted(known))}")
