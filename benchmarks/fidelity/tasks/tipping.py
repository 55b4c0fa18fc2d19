"""A box that slides, and tips over its front edge if friction is high."""

from __future__ import annotations

from benchmarks.fidelity.measuring import frames, threshold
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import box
from tests.helpers import closed_forms as forms
from ubersim.description.materials import Surface

WIDTH, HEIGHT = 0.2, 0.4


def tips(build: Build, friction: float) -> bool:
    """Whether it tilts by five degrees within 1.5 s."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=friction)})
    scene.ground()
    scene.add(box((WIDTH, WIDTH, HEIGHT), (0, 0, HEIGHT / 2)), 2.0, linear=(6.0, 0, 0))
    engine = build(scene)
    return any(engine.rotations[0, 2, 2] < 0.99619 for _ in frames(engine, 1.5, 50))


def measure(build: Build) -> list[float]:
    """The least friction."""
    return [threshold(lambda friction: tips(build, friction), 0.1, 1.5)]


TASK = Task(
    "tipping",
    "Friction",
    "A box of 0.2 m x 0.4 m slides at 6 m/s. It tips, by more than 5° within 1.5 s, if mu > width / height.",
    [Quantity("mu at which it tips", "", forms.tipping_friction(WIDTH, HEIGHT), True, bar=0.02)],
    measure,
)
