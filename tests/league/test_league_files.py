"""What is wrong with rules, tournaments and what supervisors ask of players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ubersim.errors import UberSimError
from ubersim.league.equipment import Equipment, equipped
from ubersim.league.goalkeeper_benchmark import score_of
from ubersim.league.localization import PoseGrid
from ubersim.league.match_file import match_from
from ubersim.league.rules import rules_from, rules_of
from ubersim.league.tournament import load_tournament
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions


def test_rules_of_a_league() -> None:
    assert rules_of("msl") != rules_of("ssl")
    with pytest.raises(UberSimError, match="there are no rules of a league 'nba'; there are msl and ssl"):
        rules_of("nba")
    with pytest.raises(UberSimError, match="is missing or not as it should be"):
        rules_from({"half": 1}, "a file")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{teams: {Red: {player: chaser}}}", "has two teams and more"),
        ("{teams: {Red: {player: chaser}, Blue: {player: chaser}}, seeds: [one]}", "invalid literal"),
    ],
)
def test_a_tournament(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "cup.yaml").write_text(text)
    with pytest.raises(UberSimError, match=reason):
        load_tournament(tmp_path / "cup.yaml")


def test_a_grid_of_poses_has_bounds() -> None:
    with pytest.raises(UberSimError, match=r"a cell has 0\.01 to 10 m, and there are 4 to 720 headings"):
        PoseGrid.over((0, 0, 1, 1), 0.001, 4)


def test_no_attempts_are_no_score() -> None:
    assert str(score_of([]))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"do": "start"}, "start needs player and xml"),
        ({"do": "start", "player": "chaser", "xml": "<x/>", "options": ["fast"]}, "NAME=VALUE, not 'fast'"),
        ({"do": "start", "player": "goalkeeper", "xml": "<x/>", "options": ["a=1", "b=c"]}, "not take these options"),
        ({"do": "stop", "name": "Nobody"}, "no player is at 'Nobody'; there are none"),
    ],
)  # fmt: skip
def test_what_supervisors_ask_of_players(arguments: dict[str, Any], reason: str) -> None:
    with Simulation() as simulation, pytest.raises(UberSimError, match=reason):
        Interventions(simulation).execute("Player", arguments)


@pytest.mark.parametrize(
    ("given", "reason"),
    [({"world": "msl_12x8", "home": {"player": "chaser"}}, "it has no 'away'")],
)
def test_a_match(given: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match=reason):
        match_from(given, tmp_path)


def test_a_robot_without_a_body_cannot_be_equipped() -> None:
    with pytest.raises(UberSimError, match="the robot of Ghost has no body"):
        equipped(
            "<Client><CSettings><Name>Ghost</Name></CSettings><Entity/></Client>",
            Equipment("Ghost", "red", 1, (0, 0), 0.0),
            ["Ghost"],
        )
