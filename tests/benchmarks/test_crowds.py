"""Robots that push each other from all sides: the hardest that the direct method is given."""

from __future__ import annotations

import numpy as np

from benchmarks.scenes import crowds
from benchmarks.scenes.ours import UberSim


def test_a_scrum_is_solved_and_nothing_is_thrown() -> None:
    engine = UberSim(crowds.robots("msl_omni", 6, scrum=True))
    engine.world.run(100)
    assert engine.world.failed_solves <= 2
    assert np.abs(engine.world.linear_velocities).max() < 1.0
