"""A ladder against a smooth wall: it stays by the friction of the ground, which the wall's push decides about."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.measuring import threshold
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import rod
from tests.helpers import closed_forms as forms
from ubersim.description.materials import Surface
from ubersim.geometry import rotation_about

LENGTH, RADIUS, MASS = 2.0, 0.02, 10.0
ANGLES = (40, 50, 60, 70)


def stays(build: Build, angle: float, friction: float) -> bool:
    """Whether its foot is still there after half a second."""
    scene = Scene(surfaces={("ladder", "floor"): Surface(mu=friction), ("ladder", "wall"): Surface(mu=0.0)})
    scene.ground("floor")
    scene.plane((1.0, 0.0, 0.0), 0.0, "wall")
    middle = np.array([LENGTH / 2 * math.cos(angle) + RADIUS, 0.0, LENGTH / 2 * math.sin(angle) + RADIUS])
    turn = rotation_about(1, angle - math.pi / 2)  # leans towards the wall at x = 0
    across = MASS * LENGTH**2 / 12
    scene.add(
        rod(RADIUS, LENGTH, middle, turn, "ladder"), MASS, inertia=np.diag([across, across, MASS * RADIUS**2 / 2])
    )
    engine = build(scene)
    engine.run(500)
    return abs(float(engine.positions[0, 0] - middle[0])) < 0.005


def measure(build: Build) -> list[float]:
    """The least friction that suffices."""
    found = []
    for degrees in ANGLES:
        angle = math.radians(degrees)
        found.append(threshold(lambda friction, angle=angle: stays(build, angle, friction), 0.05, 2.0))  # type: ignore[misc]
    return found


TASK = Task(
    "ladder",
    "Friction",
    "A ladder of 2 m leans against a smooth wall. It slips if mu < 1 / (2 tan angle), a little less as its ends are "
    "round. Found by halving; it slips if it moves by 5 mm in 0.5 s.",
    [
        Quantity(
            f"least mu at {degrees}°",
            truth=forms.ladder_friction(math.radians(degrees), LENGTH, RADIUS),
            relative=True,
            bar=0.02,
        )
        for degrees in ANGLES
    ],
    measure,
)
