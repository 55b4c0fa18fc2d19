"""Verbs that are run in this process: what they print, write and refuse."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.main import get_group
from typer.testing import CliRunner, Result

from tests.helpers.paths import ROOT
from tests.league.localization import stage
from tests.league.test_match import written
from tests.sweeps.test_tune import plan
from ubersim.cli.app import app
from ubersim.cli.match import _close
from ubersim.cli.serve_options import is_loopback
from ubersim.errors import UberSimError
from ubersim.league.localization import SensorMap
from ubersim.recording.log import Log


def run(*words: object) -> Result:
    """One verb with its arguments."""
    return CliRunner().invoke(app, [str(word) for word in words])


def done(*words: object) -> str:
    """What it prints, if all went well."""
    result = run(*words)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.output


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["benchmark", "goalkeeper", "--policy", "sleep"], "a goalkeeper has no policy sleep; it has"),
        (["match", "msl_mixt"], "none of that name comes along; did you mean msl_mixed?"),
        (["demo", "segwai"], "there is no demonstration of 'segwai'; did you mean segway?"),
        (["match"], "give a match file, or --home and --away"),
        (["match", "msl", "--frames", "1", "--film", "a.mp4"], "--film needs --record"),
        (["render", "a.mcap", "-o", "out", "--eye", "here"], "--eye is x,y,z, not 'here'"),
        (["render", "a.mcap", "-o", "out", "--size", "3"], "--size is WIDTHxHEIGHT, each from 1 to 4096, not '3'"),
        (["render", "a.mcap", "-o", "out", "--samples", "3"], "--samples is 1, 2, 4 or 8, not 3"),
        (["film", "a.mcap", "--size", "infx2"], "--size is WIDTHxHEIGHT, each from 1 to 4096, not 'infx2'"),
        (["film", "a.mcap", "--offset", "1,nan,2"], "--offset is x,y,z, not '1,nan,2'"),
        (["serve", "--lane", "fast"], "--lane takes"),
        (["plot", "a.mcap", "--latency", "Car", "--with", "b.mcap"], "--with goes with topics"),
        (["export", ROOT / "robots" / "segway.xml", "--urdf", "-o", ROOT / "robots" / "segway.xml"], "the file itself"),
        (["import", "nowhere.xml"], "nowhere.xml: cannot be read: No such file or directory"),
    ],
)
def test_what_they_do_not_take(words: list[object], reason: str) -> None:
    found = run(*words).exception
    assert isinstance(found, UberSimError) and reason in str(found)


def test_help_tells_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """What prints help would take [s] for a tag, and drop it."""
    monkeypatch.setattr("typer.rich_utils.MAX_WIDTH", 300)
    run("--help")  # all verbs are loaded
    told = 0
    for name, verb in get_group(app).commands.items():
        said = done(name, "--help")
        assert "\\[" not in said
        for text in (verb.help, *(getattr(parameter, "help", None) for parameter in verb.params)):
            for unit in re.findall(r"\[[^]]+\]", text or ""):
                told += 1
                assert unit in said, f"{name}: {text}"
    assert told > 20


def test_learn_map(tmp_path: Path) -> None:
    (tmp_path / "world.xml").write_text(stage.world().source_text)
    (tmp_path / "robot.xml").write_text(stage.robot().source_text)
    words = ["learn-map", tmp_path / "robot.xml", "--world", tmp_path / "world.xml", "-o", tmp_path / "map.npz"]
    said = done(
        *words, "--cell", 1, "--headings", 4, "--area", -2, -3, 2, 3, "--plot", tmp_path / "map.svg", "--on", "local=1"
    )
    assert "5 x 7 x 4 poses; Laser (24 features), Lines (24 features), Cam (4 features)" in said
    assert (tmp_path / "map.svg").read_text().startswith("<?xml")
    found, again = SensorMap.load(tmp_path / "map.npz"), stage.learned().models["Laser"]
    pose = np.array([[1.0, -2.0, 0.0]])
    assert found.models["Laser"].expectation(pose) == pytest.approx(again.expectation(pose))


def test_match_with_a_seed_and_a_film(tmp_path: Path) -> None:
    words = ["match", written(tmp_path), "--frames", 5, "--seed", 7]
    said = done(*words, "--record", tmp_path / "m.mcap", "--film", tmp_path / "m.mp4")
    assert ", seed 7" in said and "(5 frames)" in said and said.endswith("m.mp4\n")
    assert (tmp_path / "m.mp4").stat().st_size > 1000
    with Log(tmp_path / "m.mcap") as log:
        assert log.last == 5


def test_tournament(tmp_path: Path) -> None:
    team = "{player: chaser, count: 1, level: truth}"
    (tmp_path / "cup.yaml").write_text(
        f"teams: {{Red: {team}, Blue: {team}}}\nseeds: [1]\nworld: msl_12x8\nframes: 20\n"
    )
    said = done("tournament", tmp_path / "cup.yaml", "--on", "local=1")
    assert "Red - Blue, seed 1: 0:0" in said and "Blue - Red, seed 1: 0:0" in said


def test_tune(tmp_path: Path) -> None:
    plan(tmp_path)
    (tmp_path / "plan.yaml").write_text(
        "{robot: car.xml, program: 'bowl.py:still', frames: 1, metrics: ['bowl.py:bowl'], goal: '-bowl',"
        " parameters: {a: {random: [-10, 10]}}}"
    )
    said = done("tune", tmp_path / "plan.yaml", "-o", tmp_path / "out", "--evaluations", 4, "--on", "local=1")
    assert said.startswith("bowl ") and " candidates\n  a: " in said


def test_sweep_goes_on_and_tells_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib, too; a digest that has changed is told, and is an error."""
    plan(tmp_path)
    (tmp_path / "plan.yaml").write_text(
        "{robot: car.xml, program: 'bowl.py:still', frames: 1, metrics: ['bowl.py:bowl'], parameters: {a: [1, 9.9]}}"
    )
    words = ["sweep", tmp_path / "plan.yaml", "-o", tmp_path / "out", "--on", "local=1"]
    assert "1 of 2 runs failed; `reason` in the rows says why" in done(*words)
    rows = tmp_path / "out" / "runs.csv"
    digest = rows.read_text().splitlines()[1].split(",")
    rows.write_text(rows.read_text().replace(next(word for word in digest if len(word) == 32), "0" * 32))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    again = run(*words, "--resume", "--verify", "100%")
    assert again.exit_code == 1 and "run 0: the digest was " + "0" * 32 in again.output
    assert "plots need matplotlib" in again.output


def test_a_match_says_who_ended_early(capsys: pytest.CaptureFixture[str]) -> None:
    ended = {"home1": "Traceback\nValueError: no ball\n"}
    result = SimpleNamespace(
        table="", possession=(0.25, 0.75), ended=ended, line=lambda: "0 : 0", seconds=1.0, frames=9
    )
    _close(result)  # type: ignore[arg-type]
    assert "home1 ended before the match did: ValueError: no ball" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "is_one"),
    [("localhost", True), ("127.0.0.2", True), ("::1", True), ("0.0.0.0", False), ("example.org", False)],
)
def test_loopback(host: str, is_one: bool) -> None:
    assert is_loopback(host) == is_one


def test_learning_a_motion_writes_a_drive(tmp_path: Path) -> None:
    rows = ["time,v,x,y,h"]
    for count in range(2500):
        time = 0.01 * count
        rows.append(f"{time},{1.0 if count % 200 < 100 else 0.0},0,{0.5 * time + 0.1 * math.sin(time)},0")
    (tmp_path / "log.csv").write_text("\n".join(rows))
    out = tmp_path / "drive.npz"
    words = ["learn-motion", str(tmp_path / "log.csv"), "--forward", "v", "--x", "x", "--y", "y", "--heading", "h"]
    result = CliRunner().invoke(app, [*words, "--units", "0", "--period", "100", "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert str(out) in result.output.replace("\n", "") and out.exists()
