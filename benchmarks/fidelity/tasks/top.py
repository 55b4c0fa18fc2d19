"""A heavy top in steady precession."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from tests.helpers import closed_forms as forms
from ubersim.geometry import rotation_about

MASS, ARM, AXIAL, ACROSS, TILT, SPIN = 1.0, 0.2, 0.005, 0.0025, 0.3, 300.0
SECONDS = 2.0
RATE = forms.precession_rate(MASS, ARM, SPIN, AXIAL, ACROSS + MASS * ARM**2, TILT)


def measure(build: Build) -> list[float]:
    """Errors of azimuth and tilt [degrees]."""
    turn = rotation_about(1, TILT)
    angular = RATE * np.array([0, 0, 1]) + (SPIN - RATE * math.cos(TILT)) * turn[:, 2]
    scene = Scene()
    place = turn[:, 2] * ARM
    top = scene.add(
        None, MASS, position=place, inertia=np.diag([ACROSS, ACROSS, AXIAL]), linear=np.cross(angular, place)
    )
    scene.bodies[top].rotation, scene.bodies[top].angular = turn, angular
    scene.join("ball", top, None, (0, 0, 0))
    engine = build(scene)
    engine.run(round(SECONDS / scene.step))
    x, y, z = engine.positions[top]
    azimuth = math.remainder(math.atan2(y, x) - RATE * SECONDS, math.tau)
    return [math.degrees(azimuth), math.degrees(math.atan2(math.hypot(x, y), z) - TILT)]


TASK = Task(
    "top",
    "Motion",
    "A heavy top, 1 kg, 0.2 m from its point, spins at 300 rad/s and precesses steadily, tilted by 17°.",
    [
        Quantity("error of its azimuth after 2 s", "°", bar=1.0),
        Quantity("error of its tilt after 2 s", "°", bar=0.1),
    ],
    measure,
    settings={"mujoco": {"integrator": "RK4"}},
)
