"""Sweeps on one machine: every run has its row, whatever happens to it, and only one."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.recording_robots import car
from ubersim.errors import UberSimError
from ubersim.recording import Log
from ubersim.sweeps import load_plan, sweep
from ubersim.sweeps.execute import Outcome, execute
from ubersim.sweeps.executors import workplace
from ubersim.sweeps.plan import SweepPlan
from ubersim.sweeps.plan_file import plan_from
from ubersim.sweeps.table import RunTable
from ubersim.sweeps.verification import verify

HERE = Path(__file__).parent
CLI = [sys.executable, "-m", "ubersim.cli"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "car.xml").write_text(car("<Latency>5</Latency>"))
    (tmp_path / "programs.py").write_text((HERE / "programs.py").read_text())
    return tmp_path


def plan(folder: Path, **changes: Any) -> SweepPlan:
    given = {"robot": "car.xml", "program": "programs.py:drive", "frames": 200, "metrics": ["distance"]}
    return plan_from(given | changes, folder)


def rows(path: Path) -> list[dict[str, str]]:
    with path.with_suffix(".csv").open(newline="") as file:
        return list(csv.DictReader(file))


def done(plan: SweepPlan, out: Path, **options: Any) -> list[dict[str, str]]:
    with workplace("local=2") as place:
        return rows(sweep(plan, out, place, **options))


def test_every_combination_has_its_row(folder: Path) -> None:
    parameters = {"speed": [1.0, 4.0], "latency": {"grid": [0, 40, 3]}, "Box/Mass": 2.0}
    found = done(
        plan(folder, parameters=parameters, repetitions=2, metrics=["distance", "programs.py:far"]), folder / "out"
    )
    assert len(found) == 12 and {row["run"] for row in found} == {str(number) for number in range(12)}
    assert {(row["speed"], row["latency"]) for row in found} == {
        (speed, late) for speed in ("1.0", "4.0") for late in ("0.0", "20.0", "40.0")
    }
    assert len({row["digest"] for row in found}) >= 6 and not any(row["reason"] for row in found)
    assert all({"distance", "x", "y"} <= row.keys() and float(row["y"]) != 0.0 for row in found)
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(folder / "out" / "runs.parquet")
    assert table.num_rows == 12 and sorted(table["run"].to_pylist()) == list(range(12))


def test_the_same_bits_in_another_process(folder: Path) -> None:
    study = plan(folder, parameters={"speed": [1.0, 2.0, 3.0, 4.0]})
    found = {int(row["run"]): row["digest"] for row in done(study, folder / "out")}
    assert found == {spec.number: execute(spec).digest for spec in study.runs()}
    with workplace("local=1") as place:
        assert verify(study, folder / "out" / "runs.csv", 0.5, place) == (2, [])
        text = (folder / "out" / "runs.csv").read_text().replace(found[3], "0" * 32)
        (folder / "out" / "runs.csv").write_text(text)
        count, wrong = verify(study, folder / "out" / "runs.csv", 1.0, place)
    assert count == 4 and [(one.number, one.was, one.is_now) for one in wrong] == [(3, "0" * 32, found[3])]


def test_runs_that_fail_are_rows(folder: Path) -> None:
    ways = ["raises", "crashes", "exits", "killed", "prints", "nothing"]
    study = plan(folder, program="programs.py:fails", parameters={"how": ways}, limit=60)
    found = {row["how"]: row["reason"] for row in done(study, folder / "out")}
    assert found == {
        "raises": "ValueError: on purpose",
        "crashes": "crash: its process ended with SIGSEGV",
        "exits": "crash: its process ended with exit code 7",
        "killed": "crash: its process ended with SIGKILL",
        "prints": "",
        "nothing": "",
    }
    with Log(folder / "out" / "failed" / "run-0.mcap") as log:  # of the one that raised: up to then
        assert log.last == 50


def test_a_run_that_hangs_is_a_row(folder: Path) -> None:
    """And does not end when it is asked to."""
    study = plan(folder, program="programs.py:fails", parameters={"how": ["hangs"]}, limit=1)
    (row,) = done(study, folder / "out")
    assert row["reason"] == "time limit: it took longer than 1 s"


def test_a_command_as_program(folder: Path) -> None:
    """A client process of its own, with the robot and the parameters of the run."""
    (folder / "client.py").write_text(
        "import sys, ubersim\n"
        "with ubersim.connect(sys.argv[2], port=int(sys.argv[1])) as robot:\n"
        "    for frame in robot:\n"
        "        robot.set('LMotor', 'Vel', float(sys.argv[3]))\n"
        "        robot.set('RMotor', 'Vel', float(sys.argv[3]))\n"
        "        if frame.time > float(sys.argv[4]): sys.exit('enough')\n"
    )
    words = ["client.py", "{port}", "{robot}", "{speed}", "{end}"]
    study = plan(folder, program=words, parameters={"speed": [2.0], "end": [9.0, 0.05], "latency": [10]})
    found = {row["end"]: row for row in done(study, folder / "out")}
    assert found["9.0"]["reason"] == "" and float(found["9.0"]["distance"]) > 0.01
    assert "the program ended in frame" in found["0.05"]["reason"] and "enough" in found["0.05"]["reason"]


def test_a_killed_sweep_goes_on(folder: Path) -> None:
    """Killed twice, without a chance to clean up; every run has one row in the end, the same as without."""
    given = {"robot": "car.xml", "program": "programs.py:slow", "frames": 100, "metrics": ["distance"]}
    given["parameters"] = {"number": list(range(24))}
    (folder / "plan.yaml").write_text(json.dumps(given))
    out = folder / "out"
    for _ in range(2):
        before = len(rows(out / "runs.csv")) if out.exists() else 0
        process = subprocess.Popen([*CLI, "sweep", "plan.yaml", "-o", "out", "--on", "local=2", "--resume"], cwd=folder)
        while process.poll() is None and (not (out / "runs.csv").exists() or len(rows(out / "runs.csv")) < before + 4):
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with (out / "runs.csv").open("a") as file:
        file.write("23,0,0,torn")  # as if it had been killed while it was writing
    found = done(load_plan(folder / "plan.yaml"), out, resume=True)
    assert sorted(int(row["run"]) for row in found) == list(range(24))
    whole = done(load_plan(folder / "plan.yaml"), folder / "whole")
    assert {row["run"]: row["digest"] for row in found} == {row["run"]: row["digest"] for row in whole}


def test_another_plan_is_not_resumed(folder: Path) -> None:
    done(plan(folder), folder / "out")
    with pytest.raises(UberSimError, match="is there already: say --resume"):
        done(plan(folder), folder / "out")
    with pytest.raises(UberSimError, match="is of another plan"):
        done(plan(folder, frames=300), folder / "out", resume=True)
    assert len(done(plan(folder), folder / "out", resume=True)) == 1


def test_the_command_line(folder: Path) -> None:
    text = "robot: car.xml\nprogram: programs.py:drive\nframes: 100\nmetrics: [distance]\nparameters:\n"
    (folder / "plan.yaml").write_text(text + "  speed: {grid: [1, 3, 3]}\n  latency: {latin: [0, 20]}\nsamples: 3\n")
    said = ubersim("sweep", "plan.yaml", "-o", "out", "--on", "local=1", "--verify", "20%", folder=folder)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.endswith("2 rows run again: all the same\n")
    assert (folder / "out" / "plot.png").read_bytes().startswith(b"\x89PNG")
    page = (folder / "out" / "summary.html").read_text()
    assert "9 runs of 100 frames" in page and "data:image/png" in page


def test_a_wrong_place(folder: Path) -> None:
    with pytest.raises(UberSimError, match="cannot run on 'moon'"), workplace("moon"):
        pass


def test_a_run_that_comes_twice_is_one_row(folder: Path) -> None:
    few = plan(folder)
    table = RunTable(folder / "out", few, resume=False)
    first = next(few.runs())
    for _ in range(2):
        table.add(first, Outcome(first.number, {"distance": 1.0}, frames=3))
    table.close()
    assert [row["run"] for row in table.rows()] == [str(first.number)]
