"""Two rods on hinges, let go horizontally: errors and how they shrink with the step."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from tests.helpers import integrals

MASS, ARM, MOMENT = 1.0, 0.5, 0.01
SECONDS = 5.0
STEPS = (0.002, 0.001, 0.0005)


def error(build: Build, step: float) -> float:
    """How far the lower rod's centre is from where it should be [m]."""
    scene = Scene(step=step)
    upper = scene.add(None, MASS, position=(ARM, 0, 0), inertia=MOMENT * np.eye(3))
    lower = scene.add(None, MASS, position=(3 * ARM, 0, 0), inertia=MOMENT * np.eye(3))
    scene.join("hinge", upper, None, (0, 0, 0), (0, 1, 0))
    scene.join("hinge", lower, upper, (2 * ARM, 0, 0), (0, 1, 0))
    engine = build(scene)
    engine.run(round(SECONDS / step))
    first, second = integrals.double_pendulum(MASS, MOMENT, ARM, SECONDS)
    x = 2 * ARM * math.cos(first) + ARM * math.cos(second)
    z = -2 * ARM * math.sin(first) - ARM * math.sin(second)
    return float(np.linalg.norm(engine.positions[lower] - (x, 0, z)))


def measure(build: Build) -> list[float]:
    """The error at 1 ms [mm], and the order of convergence."""
    errors = [error(build, step) for step in STEPS]
    order = math.log(errors[0] / errors[2]) / math.log(STEPS[0] / STEPS[2])
    return [1000 * errors[1], order]


TASK = Task(
    "double_pendulum",
    "Motion",
    "Two rods, hung on each other's ends, are let go horizontally; where the lower one is after 5 s, against the "
    "integrated equations. The order says by which power of the step the error shrinks, from 2 to 0.5 ms.",
    [
        Quantity("error of its place at 1 ms", "mm", bar=1.0),
        Quantity("order of convergence", "", 2.0, sense="at least", bar=0.1),
    ],
    measure,
    step="2, 1 and 0.5 ms",
    settings={"mujoco": {"integrator": "RK4"}},
)
