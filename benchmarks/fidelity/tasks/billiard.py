"""A break: fifteen balls that touch each other, hit by a sixteenth."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball
from ubersim.description.materials import Surface

RADIUS, MASS, SPEED = 0.028575, 0.17, 8.0


def measure(build: Build) -> list[float]:
    """The most energy that there ever was, what is left, and what became of the momentum."""
    scene = Scene(gravity=(0, 0, 0), surfaces={("stuff", "stuff"): Surface(mu=0.05, bounce=0.95, bounce_velocity=0.0)})
    scene.add(ball(RADIUS, (-0.3, 0.002, 0)), MASS, linear=(SPEED, 0, 0))
    for rank in range(5):
        for file in range(rank + 1):
            place = (math.sqrt(3) * RADIUS * rank, (2 * file - rank) * RADIUS, 0)
            scene.add(ball(RADIUS, place), MASS)
    engine = build(scene)
    before, momentum, most = engine.kinetic_energy, engine.momentum, 0.0
    for _ in frames(engine, 0.4):
        most = max(most, engine.kinetic_energy)
    return [
        most / before,
        engine.kinetic_energy / before,
        float(np.linalg.norm(engine.momentum - momentum) / np.linalg.norm(momentum)),
    ]


TASK = Task(
    "billiard",
    "Many bodies",
    "A break: a ball at 8 m/s hits fifteen that touch each other in a triangle, e = 0.95, mu = 0.05, without "
    "weight. Energy is never gained, and momentum is kept.",
    [
        Quantity("most energy, of that before", "", 1.0, True, sense="at most", bar=0.001),
        Quantity("energy after 0.4 s, of that before", "", 1.0, True, sense="at most", bar=0.001),
        Quantity("momentum gained or lost, of that before", "", bar=1e-9),
    ],
    measure,
)
