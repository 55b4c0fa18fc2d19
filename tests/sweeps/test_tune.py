"""Tuning finds what can be computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.recording_robots import car
from ubersim.errors import UberSimError
from ubersim.sweeps.executors import workplace
from ubersim.sweeps.plan import SweepPlan
from ubersim.sweeps.plan_file import plan_from
from ubersim.sweeps.tune import tune

PROGRAM = """
def still(robot, a, b=2.0, side=0.0):
    robot.gains = (a, b, side)
    run.append(robot.gains)
    yield 1.0

run = []

def bowl(history):
    a, b, side = run[-1]
    if a > 9.5:
        raise ValueError("too far")
    return (a - 3.0) ** 2 + (b - 0.2) ** 2 + 0.1 * side
"""


def plan(folder: Path, **changes: Any) -> SweepPlan:
    (folder / "car.xml").write_text(car("<Latency>5</Latency>"))
    (folder / "bowl.py").write_text(PROGRAM)
    parameters = {"a": {"random": [-10, 10]}, "b": {"random": [0.01, 10], "log": True}, "side": [-1.0, 1.0]}
    given = {"robot": "car.xml", "program": "bowl.py:still", "frames": 1, "metrics": ["bowl.py:bowl"]}
    return plan_from(given | {"goal": "-bowl", "parameters": parameters} | changes, folder)


def test_the_bottom_of_a_bowl(tmp_path: Path) -> None:
    with workplace("local=2") as place:
        best = tune(plan(tmp_path), tmp_path / "out", place, evaluations=120)
    assert best.parameters["a"] == pytest.approx(3.0, abs=0.1)
    assert best.parameters["b"] == pytest.approx(0.2, abs=0.1)
    assert best.value == pytest.approx(0.0, abs=0.02) and best.evaluations >= 120
    assert len((tmp_path / "out" / "runs.csv").read_text().splitlines()) == 2 * best.evaluations + 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"parameters": {"a": 1.0}}, "there is nothing to tune"),
        ({"goal": ""}, "needs a `goal`"),
        ({"goal": "depth"}, "there is no metric 'depth'; there are bowl"),
    ],
)
def test_what_cannot_be_tuned(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with workplace("local=1") as place, pytest.raises(UberSimError, match=said):
        tune(plan(tmp_path, **changes), tmp_path / "out", place, evaluations=4)
