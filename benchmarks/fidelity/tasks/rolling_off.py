"""A ball that is thrown along the ground begins to roll."""

from __future__ import annotations

from benchmarks.fidelity.measuring import direction
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene
from benchmarks.scenes.scene import ball
from tests.helpers import closed_forms as forms
from ubersim.description.materials import Surface

SPEED = 3.0
AZIMUTHS = range(0, 91, 15)


def measure(build: Build) -> list[float]:
    """The speed that is farthest from the truth, and the largest speed to the side."""
    worst, aside = forms.rolling_speed_after_sliding(SPEED), 0.0
    for degrees in AZIMUTHS:
        scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=0.3)})
        scene.ground()
        scene.add(ball(0.1, (0, 0, 0.1)), 1.0, linear=SPEED * direction(degrees))
        engine = build(scene)
        engine.run(1000)
        speed = float(engine.linear[0] @ direction(degrees))
        worst = max(worst, speed, key=TASK.quantities[0].error)
        aside = max(aside, abs(float(engine.linear[0] @ direction(degrees + 90))))
    return [worst, 1000 * aside]


TASK = Task(
    "rolling_off",
    "Friction",
    "A ball thrown along the ground at 3 m/s without spin ends up rolling at 5/7 of that, in each of seven directions.",
    [
        Quantity("worst speed", "m/s", forms.rolling_speed_after_sliding(SPEED), True, bar=0.003),
        Quantity("worst speed to the side", "mm/s", bar=1.0),
    ],
    measure,
)
