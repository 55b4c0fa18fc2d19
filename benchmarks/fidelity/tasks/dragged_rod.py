"""A rod that slides on its lower end, leaning away from where it goes: friction presses it onto the ground."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import rod
from tests.helpers import integrals
from ubersim.description.materials import Surface
from ubersim.geometry import rotation_about

HALF, RADIUS, ANGLE, FRICTION = 0.5, 0.01, math.radians(60), 0.8
SECONDS = 0.02


def measure(build: Build) -> list[float]:
    """The mean of its first 20 ms."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=FRICTION)})
    scene.ground()
    middle = (0.0, 0.0, HALF * math.sin(ANGLE) + RADIUS)
    turn = rotation_about(1, math.pi / 2 - ANGLE)
    across = HALF**2 / 3
    scene.add(
        rod(RADIUS, 2 * HALF, middle, turn), 1.0, inertia=np.diag([across, across, 1e-4]), linear=(-2.0, 0.0, 0.0)
    )
    engine = build(scene)
    engine.run(round(SECONDS / scene.step))
    return [(float(engine.linear[0, 0]) + 2.0) / SECONDS]


TASK = Task(
    "dragged_rod",
    "Friction",
    "A thin rod at 60° slides at 2 m/s on its lower end, mu = 0.8, and leans the other way: at first it slows down "
    "by mu g / (1 + 3 cos a (cos a - mu sin a)) = 11.04 m/s², where the weight alone would give 4.5. Mean of 20 ms, "
    "against the integrated equations.",
    [
        Quantity(
            "deceleration",
            "m/s²",
            integrals.dragged_rod(HALF, RADIUS, ANGLE, FRICTION, SECONDS) / SECONDS,
            relative=True,
            bar=0.02,
        )
    ],
    measure,
)
