"""The model car drives circles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from tests.helpers.robot_programs import document
from ubersim.geometry import Array
from ubersim.simulation import Simulation

CURVATURES = (0.8, -0.4)


def circle(places: Array) -> float:
    """Radius of the circle through places [m]."""
    xy = places[:, :2]
    matrix = np.column_stack([2 * xy, np.ones(len(xy))])
    middle = np.linalg.lstsq(matrix, (xy**2).sum(axis=1), rcond=None)[0][:2]
    return float(np.linalg.norm(xy - middle, axis=1).mean())


def own() -> list[float]:
    """Radii of the rear axle's middle [m]."""
    found = []
    for curvature in CURVATURES:
        simulation = Simulation()
        robot = simulation.spawn(document("car"))
        robot.command("Drive", "Curvature", curvature)
        robot.command("Drive", "Speed", 1.0)
        simulation.step(1500)
        places = []
        for _ in range(60):
            simulation.step(100)
            places.append((robot.bodies["RLWheel"].position + robot.bodies["RRWheel"].position) / 2)
        found.append(circle(np.array(places)))
    return found


def unknown(build: Build) -> Sequence[float | None]:
    """The car's suspension and its steering law exist here only."""
    return [None for _ in CURVATURES]


TASK = Task(
    "ackermann",
    "Robots",
    "The model car, with four sprung wheels and Ackermann steering, drives a circle at 1 m/s: its radius is 1 / "
    "curvature.",
    [Quantity(f"radius at {curvature} / m", "m", 1 / abs(curvature), True, bar=0.02) for curvature in CURVATURES],
    unknown,
    own=own,
    engines=("ubersim",),
)
