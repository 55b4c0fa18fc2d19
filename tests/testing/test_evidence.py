"""What is kept of a test that failed where logs cannot be written: a table of all samples."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from tests.helpers.robots import cart
from ubersim.simulation import Simulation
from ubersim.testing.failure_report import Evidence
from ubersim.testing.in_process import InProcessTrial


def test_without_logs_there_is_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ubersim.recording", None)
    with Simulation() as simulation:
        simulation.spawn(cart())
        trial, evidence = InProcessTrial(simulation), Evidence(simulation)
        simulation.step(300)
        said = "\n".join(evidence.save(trial, tmp_path / "kept"))
        evidence.close()
    assert "log: run.csv   (pip install 'ubersim[log]' for logs that replay)" in said
    with (tmp_path / "kept" / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert all(row["body"].startswith("Cart/") for row in rows) and len(rows) > 3
    assert float(rows[-1]["time"]) > 0.2 and set(rows[0]) >= {"x", "tilt", "vz"}
