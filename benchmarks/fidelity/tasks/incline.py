"""A box that rests on a slope, whichever way the slope falls."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import box
from ubersim.description.materials import Surface
from ubersim.geometry import rotation_about

SLOPE, FRICTION = 0.35, 0.4
AZIMUTHS = range(0, 180, 15)


def measure(build: Build) -> list[float]:
    """How far the worst one has crept after 5 s [mm]."""
    farthest = 0.0
    for degrees in AZIMUTHS:
        azimuth = math.radians(degrees)
        turn = rotation_about(2, azimuth) @ rotation_about(1, SLOPE)
        scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=FRICTION)})
        scene.plane(turn[:, 2], 0.0)
        # Its edges lie askew to the slope.
        scene.add(box((0.4, 0.4, 0.1), turn[:, 2] * 0.05, turn @ rotation_about(2, -azimuth)), 2.0)
        engine = build(scene)
        engine.run(200)  # settles
        start = engine.positions[0]
        engine.run(5000)
        farthest = max(farthest, float(np.linalg.norm(engine.positions[0] - start)))
    return [1000 * farthest]


TASK = Task(
    "incline",
    "Friction",
    "A box on a slope of 20° (tan = 0.365) with mu = 0.4, which falls towards one of twelve azimuths: it stays.",
    [Quantity("farthest creep in 5 s", "mm", bar=0.1)],
    measure,
)
