"""A stone that is thrown."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from tests.helpers import closed_forms as forms


def measure(build: Build) -> list[float]:
    """How far from its place after a second [mm]."""
    scene = Scene()
    scene.add(None, 1.0, position=(0, 0, 0), inertia=0.1 * np.eye(3), linear=(1.0, 2.0, 3.0))
    engine = build(scene)
    engine.run(1000)
    return [1000 * float(np.linalg.norm(engine.positions[0] - (1.0, 2.0, 3.0 - forms.fallen(1.0))))]


TASK = Task(
    "flight",
    "Motion",
    "A stone is thrown; after a second it has fallen half g t² below its straight line.",
    [Quantity("error of its place after 1 s", "mm", bar=0.001)],
    measure,
    settings={"mujoco": {"integrator": "RK4"}},
)
