"""Many matches at once: every team against every other, with several seeds, here or on a cluster."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError
from ubersim.files import read_text
from ubersim.league.match import play, set_up
from ubersim.league.match_file import match_from
from ubersim.league.yaml_file import mapping_of
from ubersim.sweeps.executors import Workplace
from ubersim.sweeps.guard import RunFailed, guarded

WIN, DRAW = 3, 1
"""Points."""


@dataclass(frozen=True)
class Fixture:
    """One match of a tournament."""

    home: str
    away: str
    seed: int


@dataclass(frozen=True)
class Played:
    """What came of it; without a score, why there is none."""

    fixture: Fixture
    score: tuple[int, int] | None
    digest: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Tournament:
    """A round robin: teams by name, seeds, and what all matches have in common."""

    teams: Mapping[str, Any]
    """As in a match file: a folder, or names with values."""
    seeds: tuple[int, ...]
    common: Mapping[str, Any]
    folder: str
    frames: int | None = None
    limit: float = 3600.0
    """Real time for one match [s]."""

    def fixtures(self) -> Iterator[Fixture]:
        """Each team at home against each other one, once for each seed."""
        for home, away in itertools.permutations(self.teams, 2):
            for seed in self.seeds:
                yield Fixture(home, away, seed)


def load_tournament(path: Path) -> Tournament:
    """From a file: `teams`, `seeds`, `frames`, `limit`, and what a match file may have."""
    given = dict(mapping_of(read_text(path), str(path)))
    teams = given.pop("teams", None)
    if not isinstance(teams, Mapping) or len(teams) < 2:
        raise UberSimError(f"{path}: a tournament has two teams and more, by name")
    try:
        seeds = tuple(int(seed) for seed in given.pop("seeds", [0]))
        extra: dict[str, Any] = {key: given.pop(key) for key in ("frames", "limit") if key in given}
    except (TypeError, ValueError) as error:
        raise UberSimError(f"{path}: {error}") from None
    tournament = Tournament(dict(teams), seeds, given, str(path.resolve().parent), **extra)
    for fixture in tournament.fixtures():  # what is wrong is said before anything is played
        _plan(tournament, fixture)
    return tournament


def _plan(tournament: Tournament, fixture: Fixture) -> Any:
    sides = {
        side: _named(tournament.teams[name], name) for side, name in (("home", fixture.home), ("away", fixture.away))
    }
    return match_from({**tournament.common, **sides, "seed": fixture.seed}, Path(tournament.folder), "the tournament")


def _named(team: Any, name: str) -> Any:
    return team if isinstance(team, str) else {**team, "name": name}


def play_fixture(tournament: Tournament, fixture: Fixture) -> Played:
    """One match, wherever this runs."""
    result = play(set_up(_plan(tournament, fixture)), frames=tournament.frames)
    return Played(fixture, result.score, result.digest)


def _guarded(tournament: Tournament, fixture: Fixture) -> Played:
    try:
        played: Played = guarded(play_fixture, tournament, fixture, limit=tournament.limit)
        return played
    except RunFailed as failure:
        return Played(fixture, None, reason=str(failure))


def run(tournament: Tournament, place: Workplace, told: Callable[[Played], None] = lambda played: None) -> list[Played]:
    """All matches; one that fails has no score, and says why."""
    futures: list[Future[Played]] = [
        place.executor.submit(_guarded, tournament, fixture) for fixture in tournament.fixtures()
    ]
    found = []
    for future in futures:
        found.append(future.result())
        told(found[-1])
    return found


def table(tournament: Tournament, played: list[Played]) -> str:
    """Points, goals and matches of each team, the best one first."""
    figures = {name: [0, 0, 0, 0] for name in tournament.teams}  # points, goals, against, matches
    for one in played:
        if one.score is None:
            continue
        home, away = one.score
        for name, own, other in ((one.fixture.home, home, away), (one.fixture.away, away, home)):
            row = figures[name]
            row[0] += WIN if own > other else DRAW if own == other else 0
            row[1] += own
            row[2] += other
            row[3] += 1
    order = sorted(figures.items(), key=lambda item: (-item[1][0], item[1][2] - item[1][1], item[0]))
    lines = [f"{'team':<16}{'points':>7}{'goals':>9}{'matches':>9}"]
    lines += [f"{name:<16}{row[0]:>7}{f'{row[1]}:{row[2]}':>9}{row[3]:>9}" for name, row in order]
    return "\n".join(lines)
