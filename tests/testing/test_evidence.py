"""What is kept of a test that failed where logs cannot be written: a table of all samples."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

from tests.helpers.robots import cart
from ubersim.simulation import Simulation
from ubersim.testing.contact_report import motion_account
from ubersim.testing.failure_report import Evidence
from ubersim.testing.history import History, Moment
from ubersim.testing.in_process import InProcessTrial
from ubersim.testing.plugin import _numbers


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


class _Silent(History):
    """Has seen nothing."""

    def __init__(self) -> None: ...

    def of(self, body: str, seconds: float = 1.0) -> list[Moment]:
        return []


def test_what_was_never_seen_has_no_table() -> None:
    assert motion_account("Ball", _Silent()) == "Ball was never seen"


@pytest.mark.parametrize("given", ["ten", [None], object()])
def test_latencies_and_seeds_are_numbers(given: object) -> None:
    with pytest.raises(pytest.UsageError, match="latency and seed are numbers"):
        _numbers(given)
