"""A ball that bounces with spin, or at an angle."""

from __future__ import annotations

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball
from tests.helpers import closed_forms as forms
from ubersim.description.materials import Surface

RADIUS, DOWN, BOUNCE = 0.1, 2.0, 0.8
THROWS = ((2.0, 0.0), (0.0, 30.0), (2.0, -20.0), (-1.0, 25.0))
"""Speed along the ground [m/s], and spin [rad/s]."""
PHASES = 4


def errors(build: Build, along: float, spin: float, friction: float, phase: int) -> tuple[float, float]:
    """Of speed and spin after the bounce."""
    surface = Surface(mu=friction, bounce=BOUNCE, bounce_velocity=0.0)
    scene = Scene(gravity=(0, 0, 0), surfaces={("stuff", "stuff"): surface})
    scene.ground()
    place = (0, 0, 0.15 + phase / PHASES * DOWN * scene.step)
    scene.add(ball(RADIUS, place), 1.0, linear=(along, 0, -DOWN), angular=(0, spin, 0))
    engine = build(scene)
    engine.run(300)
    speed, turning = forms.oblique_bounce(along, DOWN, spin, RADIUS, BOUNCE, friction)
    return abs(float(engine.linear[0, 0]) - speed), abs(float(engine.angular[0, 1]) - turning)


def measure(build: Build) -> list[float]:
    """The worst of all throws, at friction that lets it slip all the time and at one that does not."""
    found = []
    for friction in (0.05, 0.6):
        throws = [errors(build, *throw, friction, phase) for throw in THROWS for phase in range(PHASES)]
        found += [max(speed for speed, _ in throws), max(turning for _, turning in throws)]
    return found


TASK = Task(
    "oblique",
    "Impacts",
    "A ball comes down at 2 m/s with e = 0.8, with four combinations of spin and speed along the ground. Friction "
    "gives an impulse of at most mu (1 + e) times that speed, and two sevenths of the slip end it.",
    [
        Quantity("worst error of the speed, it slips", "m/s", bar=0.01),
        Quantity("worst error of the spin, it slips", "rad/s", bar=0.25),
        Quantity("worst error of the speed, it grips", "m/s", bar=0.01),
        Quantity("worst error of the spin, it grips", "rad/s", bar=0.25),
    ],
    measure,
)
