"""A sweep on Dask, with a scheduler and workers started by the ordinary commands; one of the workers is killed."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers.recording_robots import car
from ubersim.errors import UberSimError
from ubersim.sweeps import executors, load_plan
from ubersim.sweeps.execute import execute
from ubersim.sweeps.executors import workplace

PROGRAMS = Path(__file__).with_name("programs.py")
RUNS = 30


class Cluster:
    """A scheduler and two workers on this machine."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        note = folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(note))
        while not note.exists() or not note.read_text().endswith("}"):  # it may be half written
            time.sleep(0.05)
        self.address = json.loads(note.read_text())["address"].removeprefix("tcp://")
        self.workers = [self._start("worker", self.address, "--nthreads", "1", "--no-nanny") for _ in range(2)]

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        silent = self._stack.enter_context((self._folder / f"{words[0]}.txt").open("ab"))
        command = [str(Path(sys.executable).with_name("dask")), *words]
        process = subprocess.Popen(command, cwd=self._folder, stdout=silent, stderr=silent)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_worker_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "car.xml").write_text(car("<Latency>5</Latency>"))
    (tmp_path / "programs.py").write_text(PROGRAMS.read_text())
    given = {"robot": "car.xml", "program": "programs.py:slow", "frames": 100, "metrics": ["distance"]}
    (tmp_path / "plan.yaml").write_text(json.dumps(given | {"parameters": {"number": list(range(RUNS))}}))
    words = [
        sys.executable,
        "-m",
        "ubersim.cli",
        "sweep",
        "plan.yaml",
        "-o",
        "out",
        "--on",
        f"dask://{cluster.address}",
    ]
    with subprocess.Popen(words, cwd=tmp_path) as sweep:
        while len(rows(tmp_path / "out" / "runs.csv")) < 6:
            assert sweep.poll() is None
            time.sleep(0.02)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        assert sweep.wait() == 0
    found = rows(tmp_path / "out" / "runs.csv")
    assert sorted(int(row["run"]) for row in found) == list(range(RUNS))
    assert not any(row["reason"] for row in found)
    here = {str(spec.number): execute(spec).digest for spec in load_plan(tmp_path / "plan.yaml").runs()}
    assert {row["run"]: row["digest"] for row in found} == here


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_PATIENCE", 0.1)
    with (
        pytest.raises(UberSimError, match="there is no Dask scheduler"),
        workplace("dask://127.0.0.1:1"),
    ):
        pass
