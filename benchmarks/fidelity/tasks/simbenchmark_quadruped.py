"""SimBenchmark's tests of a many-link robot: it is lifted and dropped, and hit by a ball without weight."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import BodySpec, Scene
from benchmarks.scenes.scene import ball, box
from tests.helpers.closed_forms import GRAVITY
from ubersim.description.materials import Surface
from ubersim.geometry import rotation_about

TRUNK, HIP, THIGH, SHANK = 21.44, 1.106, 1.51, 0.51
"""Masses, those of ANYmal [kg]."""
TRUNK_EDGES = (0.53, 0.23, 0.26)
REACH, ASIDE, UPPER, LOWER = 0.263, 0.115, 0.25, 0.31
"""Of the hips from the middle, forward and to the side; lengths of thigh and shank [m]."""
HEIGHT = 2.0


def link(scene: Scene, mass: float, edges: tuple[float, float, float], start: np.ndarray, turn: np.ndarray) -> int:
    """A homogeneous rod that hangs down from a place, turned."""
    middle = start + turn @ (0, 0, -edges[2] / 2)
    squares = np.array(edges) ** 2
    inertia = np.diag((squares.sum() - squares) * mass / 12)
    scene.bodies.append(BodySpec(mass, inertia, middle, turn))
    return len(scene.bodies) - 1


def quadruped(scene: Scene) -> None:
    """A trunk and four legs of three links: thirteen bodies, twelve hinges without friction, knees bent."""
    trunk = scene.add(box(TRUNK_EDGES, (0, 0, HEIGHT)), TRUNK)
    for fore in (1, -1):
        for side in (1, -1):
            hip = np.array([fore * REACH, side * ASIDE, HEIGHT])
            tilt = rotation_about(0, 0.03 * side)
            first = link(scene, HIP, (0.08, 0.08, 0.06), hip, tilt)
            scene.join("hinge", first, trunk, hip, (1, 0, 0))
            bend = tilt @ rotation_about(1, 0.4 * fore)
            second = link(scene, THIGH, (0.06, 0.06, UPPER), hip, bend)
            scene.join("hinge", second, first, hip, tuple(tilt[:, 1]))
            knee = hip + bend @ (0, 0, -UPPER)
            third = link(scene, SHANK, (0.03, 0.03, LOWER), knee, tilt @ rotation_about(1, -0.4 * fore))
            scene.join("hinge", third, second, knee, tuple(tilt[:, 1]))


def energy(build: Build) -> list[float]:
    """Mean squared error of the energy while it falls [J^2]."""
    scene = Scene()
    quadruped(scene)
    engine = build(scene)
    lift = 2 * GRAVITY * float(engine.masses.sum()) * np.array([0.0, 0.0, 1.0])
    for _ in range(1000):
        engine.push(0, lift)
        engine.run()
    start = engine.energy
    errors = [(engine.energy - start) ** 2 for _ in frames(engine, 2.0)]
    return [math.fsum(errors) / len(errors)]


def momentum(build: Build) -> list[float]:
    """Mean squared error of the momentum of robot and ball [kg^2 m^2/s^2]."""
    scene = Scene(gravity=(0, 0, 0), surfaces={("stuff", "stuff"): Surface(mu=0.8)})
    quadruped(scene)
    scene.add(ball(0.2, (0, -5, HEIGHT)), 10.0, linear=(0, 5, 0))
    engine = build(scene)
    start = engine.momentum
    errors = [float(((engine.momentum - start) ** 2).sum()) for _ in frames(engine, 10.0, 10)]
    return [math.fsum(errors) / len(errors)]


ENERGY = Task(
    "simbenchmark_energy",
    "SimBenchmark",
    "Energy of a many-link robot: a quadruped of ANYmal's masses and lengths, thirteen bodies, hangs loose, is "
    "lifted by the trunk with twice its weight for 1 s, and falls for 2 s. Mean of the squared error of its energy. "
    "(ODE's figure is of ANYmal itself.)",
    [Quantity("error", "J²", bar=3.89101, published=3.89101)],
    energy,
    settings={"mujoco": {"integrator": "RK4"}},
)
MOMENTUM = Task(
    "simbenchmark_momentum",
    "SimBenchmark",
    "Momentum of a many-link robot: without weight, a ball of 10 kg hits the same quadruped at 5 m/s. Mean of the "
    "squared error of the momentum of both, over 10 s. (ODE's figure is of ANYmal itself.)",
    [Quantity("error", "kg²m²/s²", bar=1e-20, published=4.58962e-26)],
    momentum,
    settings={"mujoco": {"integrator": "RK4"}},
)
