"""A joint that runs into its stop."""

from __future__ import annotations

import numpy as np

from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene

PHASES = 16


def rebounds(build: Build, kind: str, bounce: float) -> list[float]:
    """Rates after the stop, as shares of that before, backwards positive."""
    found = []
    for phase in range(PHASES):
        scene = Scene(gravity=(0, 0, 0))
        stop = 0.05 + phase / PHASES * scene.step
        straight = kind == "slider"
        body = scene.add(
            None,
            1.0,
            position=(0, 0, 0),
            inertia=0.1 * np.eye(3),
            linear=(1.0 if straight else 0.0, 0, 0),
            angular=(0.0 if straight else 1.0, 0, 0),
        )
        if straight:
            scene.join("slider", body, None, (0, 0, 0), (1, 0, 0), HiStop=stop, LoStop=-1.0, Bounce=bounce)
        else:
            scene.join("hinge", body, None, (0, 0, 0), (1, 0, 0), HiStop=stop, LoStop=-1.0, Bounce=bounce)
        engine = build(scene)
        engine.run(200)
        found.append(-float((engine.linear if straight else engine.angular)[0, 0]))
    return found


def measure(build: Build) -> list[float | None]:
    """The worst of all phases."""
    worst = [max(rebounds(build, kind, 0.0), key=abs) for kind in ("slider", "hinge")]
    try:
        return [*worst, max(rebounds(build, "slider", 0.5), key=lambda share: abs(share - 0.5))]
    except NotImplementedError:
        return [*worst, None]


TASK = Task(
    "stop",
    "Impacts",
    "A body on a slider or hinge runs into the joint's stop at 1 m/s or 1 rad/s, at sixteen phases of the step.",
    [
        Quantity("worst rebound of a slider, Bounce 0", "", bar=0.01),
        Quantity("worst rebound of a hinge, Bounce 0", "", bar=0.01),
        Quantity("worst rebound of a slider, Bounce 0.5", "", 0.5, bar=0.01),
    ],
    measure,
)
