"""A fast wheel at the end of an arm: it does not fall, but goes round."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from tests.helpers.closed_forms import GRAVITY

MASS, ARM, ARM_MASS, AXIAL, ACROSS, SPIN = 1.0, 0.3, 0.05, 0.005, 0.0025, 200.0
SECONDS = 2.0


def precession() -> float:
    """Steady, with the arm level [rad/s]: the weight's moment turns the spin's momentum."""
    return GRAVITY * (MASS * ARM + ARM_MASS * ARM / 2) / (AXIAL * SPIN)


def measure(build: Build) -> list[float]:
    """How far the wheel has sunk [mm], and how far it has gone round [degrees]."""
    rate = precession()
    scene = Scene()
    turning = np.array([0.0, 0.0, rate])
    arm = scene.add(
        None,
        ARM_MASS,
        position=(ARM / 2, 0, 0),
        inertia=np.diag([1e-5, 1e-4, 1e-4]),
        linear=np.cross(turning, (ARM / 2, 0, 0)),
        angular=turning,
    )
    wheel = scene.add(
        None,
        MASS,
        position=(ARM, 0, 0),
        inertia=np.diag([AXIAL, ACROSS, ACROSS]),
        linear=np.cross(turning, (ARM, 0, 0)),
        angular=turning + np.array([SPIN, 0, 0]),
    )
    scene.join("ball", arm, None, (0, 0, 0))
    scene.join("hinge", wheel, arm, (ARM, 0, 0), (1, 0, 0))
    engine = build(scene)
    engine.run(round(SECONDS / scene.step))
    x, y, z = engine.positions[wheel]
    return [-1000 * float(z), math.degrees(math.remainder(math.atan2(y, x) - rate * SECONDS, math.tau))]


TASK = Task(
    "gyroscope",
    "Motion",
    "A wheel of 1 kg spins at 200 rad/s at the end of a level arm of 0.3 m that can turn about its other end: it "
    "goes round by weight · arm / momentum, and stays level.",
    [
        Quantity("sunk after 2 s", "mm", bar=1.0),
        Quantity("error of its azimuth after 2 s", "°", bar=1.0),
    ],
    measure,
    settings={"mujoco": {"integrator": "RK4"}},
)
