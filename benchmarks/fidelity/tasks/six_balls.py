"""Six balls in a row that touch each other exactly, at rest and hit by a seventh."""

from __future__ import annotations

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Engine, Scene
from benchmarks.scenes.scene import ball
from ubersim.description.materials import Surface

RADIUS, MASS, SPEED = 0.25, 0.4, 3.0
STARTS = (0.0, 0.1, 0.37, 1.3, 2.2)
"""Where the row begins [m]: what the last bits of the places are decides about a solver that fails."""


def row(start: float) -> Scene:
    """On the ground, touching, from x = start on."""
    surface = Surface(mu=0.6, bounce=0.7, rolling=0.002, spinning=0.002)  # footballs
    scene = Scene(surfaces={("stuff", "stuff"): surface})
    scene.ground()
    for place in range(6):
        scene.add(ball(RADIUS, (start + 2 * RADIUS * place, 0, RADIUS)), MASS)
    return scene


def depth(engine: Engine) -> float:
    """Of the lowest ball [mm]."""
    return 1000 * (RADIUS - float(engine.positions[:, 2].min()))


def measure(build: Build) -> list[float]:
    """How far one sinks; the fastest that any ball gets, and how far one sinks when they are hit."""
    sunk, fastest, deepest = 0.0, 0.0, 0.0
    for start in STARTS:
        engine = build(row(start))
        engine.run(1000)
        sunk = max(sunk, depth(engine))
        scene = row(start)
        place = (start - 0.5 - 2 * RADIUS, 0, RADIUS)
        scene.add(ball(RADIUS, place), MASS, linear=(SPEED, 0, 0), angular=(0, SPEED / RADIUS, 0))
        engine = build(scene)
        for _ in frames(engine, 1.5):
            fastest = max(fastest, float(engine.speeds.max()))
            deepest = max(deepest, depth(engine))
    return [sunk, fastest, deepest]


TASK = Task(
    "six_balls",
    "Many bodies",
    "Six footballs, 0.5 m wide, of 0.4 kg touch each other in a row on the ground, at five places: they stay. A "
    "seventh rolls into them at 3 m/s, e = 0.7: nothing gets faster than that, and nothing falls through the "
    "ground.",
    [
        Quantity("deepest ball after 1 s at rest", "mm", sense="at most", bar=1.0),
        Quantity("fastest ball when hit", "m/s", SPEED, sense="at most", bar=0.01),
        Quantity("deepest ball when hit", "mm", sense="at most", bar=1.0),
    ],
    measure,
)
