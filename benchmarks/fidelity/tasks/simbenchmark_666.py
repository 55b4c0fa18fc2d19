"""SimBenchmark's 666 tests: a cube of 216 balls that falls apart, once dead and once elastic."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Engine, Scene
from benchmarks.scenes.scene import ball
from ubersim.description.materials import Surface
from ubersim.geometry import Array

RADIUS, MASS, GAP, SIDE, SECONDS = 0.1, 10.0, 0.21, 6, 10.0
EVERY = 10
"""Steps from one look at it to the next."""


def cube(build: Build, bounce: float, height: float) -> Engine:
    """Each ball up to a millimetre beside its place; other chance than the test's own, which is not told."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=0.0, bounce=bounce, bounce_velocity=0.0)})
    scene.ground()
    rng = np.random.default_rng(42)
    for place in np.ndindex(SIDE, SIDE, SIDE):
        scene.add(ball(RADIUS, GAP * np.array(place) + rng.uniform(0, 0.001, 3) + (0, 0, height)), MASS)
    return build(scene)


def overlap(positions: Array) -> float:
    """Sum of the squared depths of all pairs, and of all balls in the ground [m^2]."""
    pairs = cKDTree(positions).query_pairs(2 * RADIUS, output_type="ndarray")
    distances = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
    depths = np.concatenate([2 * RADIUS - distances, np.maximum(RADIUS - positions[:, 2], 0)])
    return float((depths**2).sum())


def dead(build: Build) -> list[float]:
    """Mean over time of the overlap [m^2]."""
    engine = cube(build, 0.0, 0.101)
    errors = [overlap(engine.positions) for _ in frames(engine, SECONDS, EVERY)]
    return [math.fsum(errors) / len(errors)]


def elastic(build: Build) -> list[float]:
    """Mean over time of the squared error of the energy [J^2]."""
    engine = cube(build, 1.0, 1.101)
    start = engine.energy
    errors = [(engine.energy - start) ** 2 for _ in frames(engine, SECONDS, EVERY)]
    return [math.fsum(errors) / len(errors)]


DEAD = Task(
    "simbenchmark_666",
    "SimBenchmark",
    "666: a cube of 6 x 6 x 6 balls of 10 kg, without friction, e = 0, collapses on the ground, 10 s. Mean over "
    "time of the sum of all squared overlaps.",
    [Quantity("overlap", "m²", bar=0.000154633, published=0.000154633)],
    dead,
)
ELASTIC = Task(
    "simbenchmark_elastic_666",
    "SimBenchmark",
    "Elastic 666: the same cube from 1 m higher, e = 1. Mean of the squared error of the energy, 34 kJ.",
    [Quantity("error", "J²", bar=112.326, published=112.326)],
    elastic,
    settings={"bullet": {"contactERP": 0.0}},
)
