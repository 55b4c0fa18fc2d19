"""Matches: files, teams of players and programs, the same bits twice, what is told in the end."""

from __future__ import annotations

import io
import signal
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.helpers.paths import ROOT
from ubersim.cli.app import app
from ubersim.errors import UberSimError
from ubersim.league.match import Result, _end, _start, play, set_up
from ubersim.league.match_file import load_match, match_from
from ubersim.league.tournament import Tournament, _guarded
from ubersim.recording.log import Log
from ubersim.recording.replay import replay
from ubersim.server import Server
from ubersim.timing.latency import NEVER

SMALL = """
world: msl_12x8
step: 0.004
seed: 3
level: objects
wheels: contact
rules: {half: 2, ready: 0.2, pause: 0.2}
home: {name: Blue, player: team, count: 2}
away: {name: Red, robots: [{player: goalkeeper, policy: block}, chaser]}
"""


def written(folder: Path, text: str = SMALL) -> Path:
    (folder / "small.yaml").write_text(text)
    return folder / "small.yaml"


def played(path: Path, frames: int | None = None) -> Result:
    return play(set_up(load_match(path)), frames=frames)


def test_a_match_goes_from_kick_off_to_its_end(tmp_path: Path) -> None:
    result = played(written(tmp_path))
    kinds = [ruling.kind for _, ruling in result.rulings]
    assert kinds[0] == "kick-off" and kinds[-1] == "over" and "half time" in kinds
    assert result.line().startswith("Blue ") and result.ended == {}
    assert [line.split()[0] for line in result.table.splitlines()[1:]] == ["Blue1", "Blue2", "Red1", "Red2"]


def test_frames_between_events_are_left_to_the_lane(tmp_path: Path) -> None:
    found = []
    for frame in (0, NEVER):  # from where on the lane may try: at once, or never
        digests, servers = io.StringIO(), list[Server]()

        def during(server: Server, frame: int = frame, servers: list[Server] = servers) -> None:
            server.lane.next_frame = frame
            servers.append(server)

        play(set_up(load_match(written(tmp_path))), frames=250, digest=digests, during=during)
        found.append((digests.getvalue(), servers[0].lane.frames))
    (native, some), (python, none) = found
    assert native == python and len(native.splitlines()) == 250
    assert some > 150 and none == 0


def test_the_command_line_plays_records_and_repeats_it(tmp_path: Path) -> None:
    runner, digests = CliRunner(), []
    for number in (1, 2):
        log, digest = tmp_path / f"{number}.mcap", tmp_path / f"{number}.txt"
        said = runner.invoke(
            app, ["match", str(written(tmp_path)), "--frames", "300", "--record", str(log), "--digest", str(digest)]
        )
        assert said.exit_code == 0, said.output
        assert "kick-off for home" in said.output and "after 1.2 s (300 frames)" in said.output
        digests.append(digest.read_text())
    assert digests[0] == digests[1] and len(digests[0].splitlines()) == 300
    with Log(tmp_path / "1.mcap") as opened:
        assert replay(opened) is None


PROGRAM = """
import sys
import ubersim

with ubersim.connect(sys.argv[1], sys.argv[2], int(sys.argv[3])) as robot:
    for frame in robot:
        if "Referee" in frame and frame["Referee.state"] == 3:
            robot.set("Right", "Vel", 5.0)
            robot.set("Left", "Vel", -5.0)
"""


def test_programs_play_too(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PROGRAM)
    text = SMALL.replace("player: team, count: 2", 'program: "{python} mine.py {robot} {host} {port}", count: 1')
    result = played(written(tmp_path, text), frames=300)
    assert result.frames == 300 and result.ended == {}
    blue = next(line for line in result.table.splitlines() if line.startswith("Blue1"))
    assert float(blue.split()[2]) > 0.1, "it has moved"


def test_two_folders_are_a_match(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "team.yaml").write_text(f"{{name: {name}, player: chaser, count: 1, level: truth}}")
    sides = ["--home", str(tmp_path / "one"), "--away", str(tmp_path / "two")]
    said = CliRunner().invoke(app, ["match", *sides, "--world", "msl_12x8", "--frames", "20"])
    assert said.exit_code == 0 and "one 0:0 two" in said.output


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"wrld": 1}, "unknown wrld; did you mean world"),
        ({"home": {"playr": "x"}}, "unknown playr; did you mean player"),
        ({"home": {"count": 2}}, "needs a player or a program"),
        ({"home": {"player": "team", "name": "away"}}, "both teams are called 'away'"),
        ({"commands": "everybody"}, "commands is supervisors or clients"),
        ({"home": {"player": "team", "count": 99}}, "1 to 32 robots"),
        ({"home": 7}, "is a folder, or has names"),
        ({"home": {"player": "team", "color": [1, 0]}}, "a color has three numbers"),
        ({"home": {"program": "run", "robots": [{"temper": "wild"}]}}, "but a program plays it"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, object], reason: str) -> None:
    given = {"world": "msl_12x8", "home": {"player": "team"}, "away": {"player": "team"}, **change}
    with pytest.raises(UberSimError, match=reason):
        match_from(given, Path())


@pytest.mark.parametrize("path", sorted((ROOT / "matches").glob("*.yaml")), ids=lambda path: path.stem)
def test_those_that_come_along_can_be_set_up(path: Path) -> None:
    match = set_up(load_match(path))
    match.simulation.step(2)
    assert len(match.simulation.robots) >= 12
    match.simulation.close()


def test_a_program_that_is_none_and_one_that_fails(tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match="cannot start no-such-program 9040: No such file"):
        _start(["no-such-program", "9040"], tmp_path)
    failing, ended = _start(["false"], tmp_path), dict[str, str]()
    failing.wait()
    _end("A", failing, ended)
    assert ended == {"A": "its program ended with 1"}


def test_a_match_may_be_played_in_a_thread(tmp_path: Path) -> None:
    """Where no signal can be handled."""
    results, before = list[Result](), signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=lambda: results.append(played(written(tmp_path), frames=5)))
    thread.start()
    thread.join()
    assert results[0].frames == 5 and signal.getsignal(signal.SIGINT) is before


def test_a_match_that_fails_is_a_row_of_its_tournament(tmp_path: Path) -> None:
    tournament = Tournament({"A": {"player": "team"}, "B": {"player": "chaser"}}, (1,), {}, str(tmp_path), frames=5)
    fixture = next(tournament.fixtures())
    outcome = _guarded(tournament, fixture)
    assert outcome.fixture == fixture and outcome.score is None and "it has no 'world'" in outcome.reason
