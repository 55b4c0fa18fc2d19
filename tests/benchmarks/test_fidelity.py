"""docs/fidelity.md says what was measured, and what was measured is what this tree does."""

from __future__ import annotations

import pytest

from benchmarks.fidelity import page
from benchmarks.fidelity.results import Results
from benchmarks.fidelity.task import Quantity
from benchmarks.fidelity.tasks import TASKS, flush
from benchmarks.fidelity.verdict import verdict
from benchmarks.fidelity.worker import figures
from benchmarks.scenes.ours import UberSim
from tests.helpers.paths import ROOT

QUICK = (
    "ladder", "traction", "pushed", "tipping", "dragged_rod", "rolling_off", "impact", "stop", "oblique", "cradle",
    "flight", "top", "gyroscope", "suspension",
)  # fmt: skip
"""Tasks that take less than a second or two."""


def test_the_page_is_what_the_results_make_of_it() -> None:
    assert (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8") == page.written(Results.load()), "make fidelity"


def test_every_task_was_measured() -> None:
    results = Results.load()
    for task in TASKS:
        for engine in task.engines:
            found = results.figures[task.name][engine]
            assert not isinstance(found, str), f"{task.name} in {engine}: {found}"
            assert len(found) == len(task.quantities)


@pytest.mark.parametrize("name", QUICK)
def test_figures_are_those_of_this_tree(name: str) -> None:
    stored = Results.load().figures[name]["ubersim"]
    assert figures(name, "ubersim") == pytest.approx(stored, rel=1e-6, abs=1e-9), "make fidelity"


@pytest.mark.parametrize("drop", [0.0, 0.05])
@pytest.mark.parametrize("lower", flush.LOWER)
@pytest.mark.parametrize("upper", flush.UPPER)
def test_every_pair_of_shapes_comes_to_rest_flush(lower: str, upper: str, drop: float) -> None:
    error, fastest = flush.put_down(UberSim, lower, upper, drop)
    assert error < (
        0.5e-3 if upper == "capsule" else 1e-6
    )  # which ODE lets touch a box or cylinder in one point at a time
    assert fastest < 0.99 if drop else fastest < 0.01


def test_verdicts() -> None:
    share = Quantity("speed", "m/s", 2.0, relative=True, bar=0.02)
    assert verdict(share, {"ubersim": 2.0, "mujoco": 2.1, "bullet": 2.2}) == "keeps its bar, nearest of all"
    assert verdict(share, {"ubersim": 2.1, "mujoco": 2.01}) == "**misses its bar**, MuJoCo is nearer"
    assert verdict(share, {"ubersim": 2.1, "mujoco": 2.105}) == "**misses its bar**, nobody is nearer"
    most = Quantity("energy", "", 1.0, sense="at most", published=0.1)
    assert verdict(most, {"ubersim": 0.3, "mujoco": 1.5}) == "nearest of all, better than ODE"
    assert verdict(most, {"ubersim": 1.2, "mujoco": None}) == "worse than ODE"
