"""A car with rear drive whose wheels slip: the more it accelerates, the more weight is on them."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball
from tests.helpers import closed_forms as forms
from ubersim.description.materials import Surface

RADIUS, BASE, HALF_TRACK = 0.1, 0.5, 0.2
CHASSIS, WHEEL = 20.0, 1.0
MIDDLE, HEIGHT = 0.25, 0.15
"""The chassis' centre, before the rear wheels' and above the ground [m]."""
SPIN = 100.0
"""Of the rear wheels [rad/s]: they slip all the time."""
FRICTIONS = (0.3, 0.6, 0.9)


def car(friction: float) -> Scene:
    """On the rear wheels and, in front, on two runners without friction, so that the closed form is exact."""
    scene = Scene(surfaces={("tyre", "ground"): Surface(mu=friction), ("runner", "ground"): Surface(mu=0.0)})
    scene.ground("ground")
    runners = [ball(RADIUS, (side * HALF_TRACK, BASE, RADIUS), "runner") for side in (-1, 1)]
    chassis = scene.add(None, CHASSIS, position=(0, MIDDLE, HEIGHT), inertia=CHASSIS * np.diag([0.04, 0.02, 0.04]))
    scene.bodies[chassis].shapes += runners
    for side in (-1, 1):
        place = (side * HALF_TRACK, 0.0, RADIUS)
        wheel = scene.add(ball(RADIUS, place, "tyre"), WHEEL, angular=(-SPIN, 0, 0))
        scene.join("hinge", wheel, chassis, place, (1, 0, 0), Vel=-SPIN, FMax=1000.0)
    return scene


def wanted(friction: float) -> float:
    """The closed form, with the centre of mass of all together [m/s^2]."""
    mass = CHASSIS + 2 * WHEEL
    middle = CHASSIS * MIDDLE / mass
    height = (CHASSIS * HEIGHT + 2 * WHEEL * RADIUS) / mass
    return forms.rear_drive_acceleration(friction, BASE - middle, BASE, height)


def measure(build: Build) -> list[float]:
    """From 0.1 to 0.4 s."""
    found = []
    for friction in FRICTIONS:
        engine = build(car(friction))
        engine.run(100)
        before = float(engine.linear[0, 1])
        engine.run(300)
        found.append((float(engine.linear[0, 1]) - before) / 0.3)
    return found


TASK = Task(
    "traction",
    "Friction",
    "A car with spinning rear wheels accelerates by mu g lf / (L - mu h): its height h shifts weight onto them.",
    [Quantity(f"acceleration, mu = {mu}", "m/s²", wanted(mu), True, bar=0.02) for mu in FRICTIONS],
    measure,
)
