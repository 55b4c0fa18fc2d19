"""SimBenchmark's bouncing test: 49 balls that bounce for 20 s, and keep their energy."""

from __future__ import annotations

import math

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball
from ubersim.description.materials import Surface

BALLS, MASS, RADIUS, HEIGHT, SECONDS = 49, 10.0, 0.1, 5.0, 20.0
STEPS = (1e-3, 1e-4, 1e-5)


def error(build: Build, step: float) -> float:
    """Mean squared error of the energy of all [J^2]; they are all alike, so that one is simulated."""
    surface = Surface(mu=0.0, bounce=1.0, bounce_velocity=0.0)
    scene = Scene(step=step, surfaces={("stuff", "stuff"): surface})
    scene.ground()
    scene.add(ball(RADIUS, (0, 0, HEIGHT)), MASS)
    engine = build(scene)
    start = engine.energy
    errors = [(BALLS * (engine.energy - start)) ** 2 for _ in frames(engine, SECONDS, round(1e-3 / step))]
    return math.fsum(errors) / len(errors)


def measure(build: Build) -> list[float]:
    """At each step."""
    return [error(build, step) for step in STEPS]


TASK = Task(
    "simbenchmark_bouncing",
    "SimBenchmark",
    "Bouncing: 49 balls of 10 kg fall from 5 m and bounce for 20 s, e = 1. Mean of the squared error of their "
    "energy, 24 kJ.",
    [
        Quantity("error at 1e-3 s", "J²", bar=185.027, published=185.027),
        Quantity("error at 1e-4 s", "J²", bar=1.85055, published=1.85055),
        Quantity("error at 1e-5 s", "J²", bar=0.0185024, published=0.0185024),
    ],
    measure,
    step="1 ms, 0.1 ms and 0.01 ms",
    settings={"bullet": {"contactERP": 0.0}},
)
