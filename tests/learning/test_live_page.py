"""The live page of an environment: there, and without a bit of difference."""

from __future__ import annotations

import numpy as np
import pytest

from ubersim.learning import UberSimEnv

SEGWAY = "ubersim.learning.tasks.segway:SegwayBalance"


def course(env: UberSimEnv) -> list[object]:
    found: list[object] = []
    for seed in (1, 2):
        found.append(env.reset(seed=seed)[0].tolist())
        for number in range(6):
            found.append(env.step(np.array([0.1 * number], np.float32))[0].tolist())
            found.append(env.simulation.digest())
    return found


def test_watching_changes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    unseen = UberSimEnv(task=SEGWAY, think=15.0)
    env = UberSimEnv(task=SEGWAY, think=15.0, render_mode="human", page_port=0)
    assert env._page is not None
    process = env._page.process
    assert course(env) == course(unseen)
    assert env.render() is None and process.poll() is None
    env.close()
    assert process.poll() is not None
