"""An impact against the ground, wherever within the step it happens."""

from __future__ import annotations

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball, box
from ubersim.description.materials import Surface

SPEED, PHASES = 2.0, 16


def rebounds(build: Build, bounce: float, cube: bool) -> list[float]:
    """Speeds after the impact, as shares of that before; no weight, so that nothing else changes them."""
    found = []
    for phase in range(PHASES):
        scene = Scene(gravity=(0, 0, 0), surfaces={("stuff", "stuff"): Surface(mu=0.0, bounce=bounce)})
        scene.ground()
        place = (0, 0, 0.15 + phase / PHASES * SPEED * scene.step)
        scene.add(box((0.2, 0.2, 0.2), place) if cube else ball(0.1, place), 1.0, linear=(0, 0, -SPEED))
        engine = build(scene)
        engine.run(300)
        found.append(float(engine.linear[0, 2]) / SPEED)
    return found


def measure(build: Build) -> list[float]:
    """The worst of all phases."""
    dead, flat, half = rebounds(build, 0.0, False), rebounds(build, 0.0, True), rebounds(build, 0.5, False)
    return [max(dead, key=abs), max(flat, key=abs), max(half, key=lambda share: abs(share - 0.5))]


TASK = Task(
    "impact",
    "Impacts",
    "A ball, or a box that lands flat, meets the ground at 2 m/s, without weight, at sixteen phases of the step. "
    "The speed afterwards is e times that before.",
    [
        Quantity("worst rebound of a ball, e = 0", "", bar=0.01),
        Quantity("worst rebound of a box, e = 0", "", bar=0.01),
        Quantity("worst rebound of a ball, e = 0.5", "", 0.5, bar=0.01),
    ],
    measure,
)
