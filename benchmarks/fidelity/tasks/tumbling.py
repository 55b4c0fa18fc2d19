"""A free body that spins about its middle axis, and turns over again and again (Dzhanibekov)."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.measuring import angle_between, frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from tests.helpers import integrals

MOMENTS, RATES = np.array([1.0, 2.0, 2.8]), np.array([0.1, 5.0, 0.1])
SECONDS = 60.0


def measure(build: Build) -> list[float]:
    """Energy, direction of the momentum, and where it points in the end."""
    scene = Scene(gravity=(0, 0, 0))
    scene.add(None, 1.0, position=(0, 0, 0), inertia=np.diag(MOMENTS), angular=RATES)
    engine = build(scene)
    energy, momentum = engine.energy, engine.spins()[0]
    drift = stray = 0.0
    for _ in frames(engine, SECONDS, 20):
        drift = max(drift, abs(engine.energy / energy - 1))
        stray = max(stray, angle_between(engine.spins()[0], momentum))
    wanted = integrals.free_rotation(MOMENTS, RATES, SECONDS)
    off = wanted.T @ engine.rotations[0]
    angle = np.degrees(np.arccos(np.clip((np.trace(off) - 1) / 2, -1, 1)))
    return [drift, stray, float(angle)]


TASK = Task(
    "tumbling",
    "Motion",
    "A free body with the moments 1, 2 and 2.8 spins at 5 rad/s about its middle axis, slightly off, and turns over "
    "every few seconds, for 60 s (Dzhanibekov). Energy and momentum stay; the orientation is that of the integrated "
    "equations.",
    [
        Quantity("largest error of the energy, as a share", "", bar=1e-6),
        Quantity("farthest that the momentum's direction strays", "°", bar=0.01),
        Quantity("error of the orientation after 60 s", "°", bar=1.0),
    ],
    measure,
    settings={"mujoco": {"integrator": "RK4"}},
)
