"""SimBenchmark's rolling test: a board with 25 balls on it is pulled over the ground."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.fidelity.measuring import direction, frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball, box
from tests.helpers import closed_forms as forms
from ubersim.description.materials import Surface

FORCE, BOARD, BALL, SIDE, FRICTION = 150.0, 10.0, 1.0, 5, 0.4
OVERLAP = 2e-5
"""With which everything begins [m]."""
SECONDS = 4.0
AZIMUTHS = (90.0, 45.0, 60.0)
"""Along an axis, and the two diagonals that the test had in the course of time."""


def error(build: Build, degrees: float) -> float:
    """Mean of the squared errors of the board's and a ball's velocity [m^2/s^2], all in the test's own way."""
    surfaces = {("board", "ground"): Surface(mu=FRICTION), ("board", "ball"): Surface(mu=0.8)}
    scene = Scene(surfaces=surfaces)
    scene.ground("ground")
    scene.add(box((20, 20, 1), (0, 0, 0.5 - OVERLAP), material="board"), BOARD)
    for place in range(SIDE**2):
        x, y = 2.0 * (place // SIDE) - 4, 2.0 * (place % SIDE) - 4
        scene.add(ball(0.5, (x, y, 1.5 - 3 * OVERLAP), "ball"), BALL)
    engine = build(scene)
    on_board, on_ball = forms.board_with_balls(FORCE, BOARD, SIDE**2, BALL, FRICTION)
    way, errors = direction(degrees), []
    engine.push(0, FORCE * way)
    for time in frames(engine, SECONDS):
        velocities = engine.linear[:2]
        wanted = np.outer([on_board * time, on_ball * time], way)
        errors.append(((velocities - wanted) ** 2).sum())
        engine.push(0, FORCE * way)
    return math.fsum(errors) / len(errors)


def measure(build: Build) -> list[float]:
    """For each direction."""
    return [error(build, degrees) for degrees in AZIMUTHS]


TASK = Task(
    "simbenchmark_rolling",
    "SimBenchmark",
    "Rolling: a board of 10 kg with 25 balls of 1 kg on it is pulled over the ground with 150 N for 4 s, mu = 0.4 "
    "below and 0.8 above. Mean of the squared errors of the board's velocity and a ball's. ODE's pyramid never lets "
    "it move along a diagonal: 3.145.",
    [
        Quantity("error, along an axis", "m²/s²", bar=7.66873e-09, published=7.66873e-09),
        Quantity("error, at 45°", "m²/s²", bar=0.01, published=3.14497),
        Quantity("error, at 60°", "m²/s²", bar=0.01, published=3.14497),
    ],
    measure,
)
