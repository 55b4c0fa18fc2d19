"""The goalkeeper benchmark and tournaments: the same figures again, and those that statistics says."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ubersim.cli.app import app
from ubersim.cli.benchmark import COLUMN
from ubersim.description.world_file import Field
from ubersim.errors import UberSimError
from ubersim.league.goalkeeper_benchmark import LIMIT, Attempt, Challenge, attempt, run, score_of, start_of, wilson
from ubersim.league.tournament import Fixture, Played, load_tournament, table
from ubersim.league.tournament import run as run_tournament
from ubersim.sweeps.executors import workplace

FIELD = Field(
    league="msl", length=12, width=8, goal_width=2, goal_height=1, area_length=1.5, area_width=5, penalty_mark=1.8
)


def test_situations_are_seeded_and_on_the_field() -> None:
    for number in range(50):
        kind, ball, place = start_of(number, 7, FIELD)
        assert (kind, ball, place) == start_of(number, 7, FIELD)
        assert kind == ("open play" if number % 2 else "penalty")
        assert abs(ball[0]) < 4 and 0 < ball[1] < 6
        assert 0.5 < ((ball[0] - place[0]) ** 2 + (ball[1] - place[1]) ** 2) ** 0.5 < 2.1
    assert start_of(1, 7, FIELD) != start_of(1, 8, FIELD)


def test_the_interval_is_wilsons() -> None:
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    score = score_of([Attempt(n, "penalty", n < 3, 2.0 + n, "goal" if n < 3 else "corner") for n in range(10)])
    assert (score.goals, score.attempts, score.seconds) == (3, 10, 3.0)
    assert str(score) == "3 of 10 (30 %, 11 to 60 %), 3.0 s per goal"


def test_the_widest_score_fits_into_its_column() -> None:
    assert len(str(score_of([Attempt(n, "penalty", True, LIMIT, "goal") for n in range(1000)]))) < COLUMN


def test_the_same_attempt_comes_out_the_same_here_and_in_a_process_of_its_own() -> None:
    challenge = Challenge(policy="still", step=0.004)
    with workplace("local=1") as place:
        (there,) = run(challenge, 1, place)
    assert there == attempt(challenge, 0)


PLAN = """
world: msl_12x8
step: 0.005
level: truth
wheels: contact
rules: {half: 0.3, ready: 0.05, pause: 0.05}
seeds: [1]
frames: 60
teams:
  chasers: {player: chaser, count: 1}
  walkers: {player: walker, count: 1}
"""


def test_a_round_robin(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(PLAN)
    loaded = load_tournament(tmp_path / "cup.yaml")
    with workplace("local=2") as place:
        played = run_tournament(loaded, place)
    assert [(one.fixture.home, one.fixture.away, one.score) for one in played] == [
        ("chasers", "walkers", (0, 0)),
        ("walkers", "chasers", (0, 0)),
    ]
    assert "chasers" in table(loaded, played)


def test_points_and_goals(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(PLAN)
    loaded = load_tournament(tmp_path / "cup.yaml")
    played = [
        Played(Fixture("chasers", "walkers", 1), (3, 1)),
        Played(Fixture("walkers", "chasers", 1), (2, 2)),
        Played(Fixture("walkers", "chasers", 2), None, reason="crash"),
    ]
    rows = [line.split() for line in table(loaded, played).splitlines()[1:]]
    assert rows == [["chasers", "4", "5:3", "2"], ["walkers", "1", "3:5", "2"]]


@pytest.mark.parametrize(
    ("old", "new", "reason"), [("  walkers", "# ", "two teams"), ("world:", "wold:", "did you mean world")]
)
def test_what_is_wrong_is_said_before_anything_is_played(tmp_path: Path, old: str, new: str, reason: str) -> None:
    (tmp_path / "cup.yaml").write_text(PLAN.replace(old, new))
    with pytest.raises(UberSimError, match=reason):
        load_tournament(tmp_path / "cup.yaml")


def test_who_does_not_shoot_runs_out_of_time() -> None:
    outcome = attempt(Challenge(policy="still", player="walker", step=0.02), 0)
    assert (outcome.scored, outcome.how) == (False, "time is up")


def test_the_command_line(tmp_path: Path) -> None:
    found = CliRunner().invoke(app, ["benchmark", "goalkeeper", "--policy", "still", "--situations", "2"])
    heading, row = found.stdout.splitlines()
    assert heading.split() == ["policy", "penalties", "open", "play", "all"]
    assert row.startswith("still") and row.count(" of 1 ") == 2 and " of 2 " in row
