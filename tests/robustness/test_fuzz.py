"""A short share of `make fuzz`, always the same; and the scenes that once ended or hung a server."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.robustness.chance import numbered
from tests.robustness.scenes import LONGEST_FRAME, Scene, live
from tests.robustness.targets import TARGETS, close_page

SEED = 12
RUNS = {
    "robots": 40,
    "served": 15,
    "worlds": 30,
    "wire": 60,
    "programs": 30,
    "supervisor": 20,
    "materials": 20,
    "logs": 4,
    "imports": 12,
    "port": 15,
    "replayed": 6,
    "page": 8,
    "identify": 25,
}
CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.json"))


@pytest.mark.filterwarnings("ignore:.viser.")
@pytest.mark.parametrize("target", TARGETS)
def test_a_share_of_each_target(target: str) -> None:
    for number in range(RUNS[target]):
        TARGETS[target](numbered(SEED, number))
    if target == "page":
        close_page()


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_scenes_that_once_ended_or_hung_a_server(path: Path) -> None:
    outcome = live(Scene.from_json(path.read_bytes()))
    assert outcome.slowest < LONGEST_FRAME, outcome


@given(st.randoms(use_true_random=False))
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_robots_that_hypothesis_thinks_of(random: Random) -> None:
    TARGETS["robots"](random)
