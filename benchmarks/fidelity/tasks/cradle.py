"""Newton's cradle without strings: a ball hits five that touch each other."""

from __future__ import annotations

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball
from ubersim.description.materials import Surface

RADIUS = 0.1


def measure(build: Build) -> list[float]:
    """Energy and the speeds of the first and last ball, half a second after the impact."""
    scene = Scene(gravity=(0, 0, 0), surfaces={("stuff", "stuff"): Surface(mu=0.0, bounce=1.0, bounce_velocity=0.0)})
    scene.add(ball(RADIUS, (-0.2037 - 2 * RADIUS, 0, 0)), 1.0, linear=(1.0, 0, 0))
    for place in range(5):
        scene.add(ball(RADIUS, (2 * RADIUS * place, 0, 0)), 1.0)
    engine = build(scene)
    before = engine.kinetic_energy
    engine.run(700)
    return [engine.kinetic_energy / before, float(engine.linear[-1, 0]), float(engine.linear[0, 0])]


TASK = Task(
    "cradle",
    "Many bodies",
    "Without weight, a ball hits five that touch each other in a row at 1 m/s, e = 1. The shock goes through them "
    "one by one: the last one leaves with 1 m/s, the others stay. (Newton's law of impact alone, for all at once, "
    "allows other answers with the same energy.)",
    [
        Quantity("energy afterwards, of that before", "", 1.0, True, bar=0.01),
        Quantity("speed of the last ball", "m/s", 1.0),
        Quantity("speed of the first ball", "m/s", 0.0),
    ],
    measure,
)
