"""A mass on a spring with a damper, as a wheel's suspension has them."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from tests.helpers import closed_forms as forms

MASS, STIFFNESS, DAMPING = 1.0, 4000.0, 20.0


def measure(build: Build) -> list[float | None]:
    """The largest error while it swings, and that of its rest [mm]."""
    scene = Scene()
    total = scene.step * STIFFNESS + DAMPING
    body = scene.add(None, MASS, position=(0, 0, 0), inertia=0.01 * np.eye(3))
    scene.join(
        "hinge2",
        body,
        None,
        (0, 0, 0),
        (0, 0, 1),
        (1, 0, 0),
        SuspensionERP=scene.step * STIFFNESS / total,
        SuspensionCFM=1 / total,
    )
    try:
        engine = build(scene)
    except NotImplementedError:
        return [None, None]
    worst = 0.0
    for time in frames(engine, 1.0):
        wanted = forms.damped_oscillation(MASS, STIFFNESS, DAMPING, time)
        worst = max(worst, abs(float(engine.positions[0, 2]) - wanted))
    rest = -MASS * forms.GRAVITY / STIFFNESS
    return [1000 * worst, 1000 * abs(float(engine.positions[0, 2]) - rest)]


TASK = Task(
    "suspension",
    "Motion",
    "1 kg is let go on a suspension of 4 kN/m and 20 N s/m, which swings at 10 Hz around 2.45 mm below where it "
    "began. PyBullet's joints have no springs.",
    [
        Quantity("largest error in the first second", "mm", bar=0.1),
        Quantity("error of its rest", "mm", bar=0.001),
    ],
    measure,
)
