"""The plan and the programs that docs/sweeps.md shows."""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML

from tests.helpers.paths import ROOT
from tests.helpers.shown_programs import blocks, run_program


def test_the_plan_is_that_of_the_example() -> None:
    (shown,) = blocks("docs/sweeps.md", "yaml")
    example = (ROOT / "examples" / "latency_study.yaml").read_text()
    plan = YAML(typ="safe").load(example)
    assert YAML(typ="safe").load(shown).items() <= plan.items()
    assert len(example.splitlines()) <= 10


def test_the_programs(tmp_path: Path) -> None:
    in_python, controller = blocks("docs/sweeps.md", "python")
    (tmp_path / "study.py").write_text(f"from ubersim.control.balancer import Balancer\n\n\n{controller}")
    said = run_program(in_python, folder=tmp_path)
    assert said.count("Outcome(") == 2 and "fell': False" in said
    assert len((tmp_path / "study" / "runs.csv").read_text().splitlines()) == 3
