"""Every robot that comes along, parked: none may creep."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes.robots import scene_of
from tests.helpers.robot_programs import document
from ubersim.simulation import Simulation

NAMES = ("segway", "scout", "pioneer", "car", "ssl", "msl_omni", "aibo", "humanoid")
"""All of them; the Segway has nobody to balance it, and lies where it fell."""
ELSEWHERE = ("scout", "pioneer", "ssl", "msl_omni")
"""Those whose joints and motors other engines have."""
HERE, THERE = 600, 5
"""For how long, here and in other engines [s]."""
FALLING, SETTLING = 5.0, 2.0
"""Until a robot lies, or stands [s]."""


def own() -> list[float]:
    """How far each robot's first body creeps [mm/min], with its own motors."""
    found = []
    for name in NAMES:
        simulation = Simulation()
        robot = simulation.spawn(document(name))
        body = next(iter(robot.bodies.values()))
        simulation.step(round((FALLING if name == "segway" else SETTLING) * 1000))
        place = body.position.copy()
        simulation.step(HERE * 1000)
        found.append(60 / HERE * 1000 * float(np.linalg.norm(body.position - place)))
    return found


def measure(build: Build) -> list[float | None]:
    """The same as scenes, wheels held by motors."""
    found: list[float | None] = []
    for name in NAMES:
        if name not in ELSEWHERE:
            found.append(None)
            continue
        simulation = Simulation()
        simulation.spawn(document(name))
        simulation.step(10)  # motors take hold of their joints
        engine = build(scene_of(simulation))
        engine.run(round(SETTLING * 1000))
        place = engine.positions[0]
        engine.run(THERE * 1000)
        found.append(60 / THERE * 1000 * float(np.linalg.norm(engine.positions[0] - place)))
    return found


TASK = Task(
    "parked",
    "Robots",
    "Every robot that comes along, parked for ten minutes (5 s in the other engines, which only know the wheeled "
    "ones): it stays. The Segway lies where it fell.",
    [Quantity(f"{name} creeps by", "mm/min", bar=0.1) for name in NAMES],
    measure,
    own=own,
)
