"""The page of the benchmarks says what was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.performance import page, picture
from benchmarks.performance.__main__ import RESULTS, ROOT
from benchmarks.performance.block_server import BLOCK, Stretches, best_block
from benchmarks.performance.documents import servos
from benchmarks.performance.parts import parts
from benchmarks.performance.verdicts import bars
from ubersim.simulation import Simulation


def test_the_page_is_of_the_results_that_lie_beside_it(tmp_path: Path) -> None:
    results = json.loads(RESULTS.read_text())
    assert (ROOT / "docs" / "performance.md").read_text() == page.page(results)
    picture.draw(results["figures"], tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(re.findall(r"images/(\S+\.svg)", page.page(results)))


def test_a_frame_is_shown_by_its_parts() -> None:
    figures = json.loads(RESULTS.read_text())["figures"] | {"20 ms, C": 10.0, "physics of 1": 4.0, "sockets of 1": 1.0}
    figures |= {"sockets of 100": 1e6} | {f"sockets of {count}, by the clock": 2.0 for count in (1, 100)}
    (ahead,) = (frame for frame in parts(figures) if frame.what == "20 ms latency, C client")
    assert (ahead.physics, ahead.wire, ahead.rest) == (4.0, 1.0, 5.0)
    assert parts(figures)[-1].rest == 0.0
    assert "performance-parts.svg" in page.page({"figures": figures, "cores": 2, "load": 0.0, "rounds": 1})


def test_a_bar_is_kept_up_to_its_limit() -> None:
    figures = json.loads(RESULTS.read_text())["figures"] | {"bare ODE": 10.0, "20 ms, C": 17.0}
    (ahead,) = (bar for bar in bars(figures) if bar.what == "20 ms latency, C client")
    assert ahead.kept and ahead.ratio == pytest.approx(1.7)


def test_the_best_stretch_is_taken() -> None:
    ends: list[int] = []
    assert 0.0 < best_block(ends.append, 3 * BLOCK) < 1e6
    assert ends == [BLOCK, 2 * BLOCK, 3 * BLOCK]


def test_a_stretch_ends_where_the_loop_looks_at_the_clock() -> None:
    stretches = Stretches(0.001)
    stretches.frame_begins(BLOCK - 1)
    assert stretches.best == stretches.best_of_processor == float("inf")
    stretches.frame_begins(1)
    assert stretches.best_of_processor >= 0.0 and 0.0 < stretches.best < float("inf")


def test_the_robot_with_twenty_servos_loads() -> None:
    simulation = Simulation()
    robot = simulation.spawn(servos("Servos", 20.0))
    simulation.step(3)
    assert len(robot.motors) == len(robot.sensors) == 20
