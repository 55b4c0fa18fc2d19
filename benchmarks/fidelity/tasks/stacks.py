"""Stacks: heavy things on light ones, and many on each other."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Engine, Scene
from benchmarks.scenes.scene import box
from ubersim.description.materials import Surface

EDGE = 0.2


def stack(build: Build, masses: list[float]) -> Engine:
    """Boxes on each other, the first one lowest."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=0.5)})
    scene.ground()
    for place, mass in enumerate(masses):
        scene.add(box((EDGE, EDGE, EDGE), (0, 0, EDGE * (place + 0.5))), mass)
    return build(scene)


def settle(engine: Engine) -> tuple[float, float]:
    """How deep the top one has sunk after 5 s [mm], and how far any creeps to the side in the next 5 [mm]."""
    engine.run(5000)
    start = engine.positions
    sunk = EDGE * (len(start) - 0.5) - float(start[-1, 2])
    engine.run(5000)
    return 1000 * sunk, 1000 * float(np.linalg.norm((engine.positions - start)[:, :2], axis=1).max())


def measure(build: Build) -> list[float]:
    """Depth and creep of each stack."""
    found: list[float] = []
    for masses in ([1.0, 5.0], [1.0, 50.0], [1.0] * 8, [1.0] * 12):
        found += settle(stack(build, masses))
    return found


_STACKS = ("5 kg on 1 kg", "50 kg on 1 kg", "8 equal boxes", "12 equal boxes")
TASK = Task(
    "stacks",
    "Many bodies",
    "Boxes of 0.2 m on each other, mu = 0.5, for 10 s: they stay. Eight of them have 32 contacts, twelve have 48.",
    [
        quantity
        for name in _STACKS
        for quantity in (
            Quantity(f"{name}: sunk after 5 s", "mm", bar=1.0),
            Quantity(f"{name}: crept in the next 5 s", "mm", bar=0.1),
        )
    ],
    measure,
)
