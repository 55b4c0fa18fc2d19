"""A box that a motor pushes over the ground, by joints instead of an applied force."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.measuring import direction, threshold
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import box
from tests.helpers.closed_forms import GRAVITY
from ubersim.description.materials import Surface

MASS, FRICTION, CARRIAGE = 2.0, 0.5, 0.01
AZIMUTHS = (0, 17, 45, 70)


def starts(build: Build, degrees: float, share: float) -> bool:
    """Whether a motor with that share of mu m g moves the box in half a second."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=FRICTION, rolling=0.0005, spinning=0.0005)})
    scene.ground()
    # On a carriage that is driven, another one slides up and down, so that the ground carries the box that hangs on it.
    carriage, lift = (scene.add(None, CARRIAGE, position=(0, 0, 0.05), inertia=1e-4 * np.eye(3)) for _ in range(2))
    load = scene.add(box((0.4, 0.4, 0.1), (0, 0, 0.05)), MASS)
    limit = share * FRICTION * MASS * GRAVITY
    scene.join("slider", carriage, None, (0, 0, 0.05), direction(degrees), Vel=0.1, FMax=limit)
    scene.join("slider", lift, carriage, (0, 0, 0.05), (0, 0, 1))
    scene.join("ball", load, lift, (0, 0, 0.05))
    engine = build(scene)
    engine.run(500)
    return math.hypot(*engine.positions[load, :2]) > 0.002


def measure(build: Build) -> list[float]:
    """The share from which on it starts."""
    return [threshold(lambda share, way=way: starts(build, way, share), 0.5, 1.7) for way in AZIMUTHS]  # type: ignore[misc]


TASK = Task(
    "pushed",
    "Friction",
    "A motor pushes a box over the ground; it starts as soon as the motor may exert mu m g, whatever the direction.",
    [Quantity(f"force at the start, {degrees}°", "mu m g", 1.0, True, bar=0.02) for degrees in AZIMUTHS],
    measure,
)
