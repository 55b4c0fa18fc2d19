"""One task in one engine, in a process of its own: python -m benchmarks.fidelity.worker TASK ENGINE

Prints the figures as JSON in its last line. An engine that ends the process ends nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from benchmarks.fidelity.task import Build, Task
from benchmarks.fidelity.tasks import TASKS


def builder(engine: str, task: Task) -> Build:
    """Only the engine that is asked for is imported."""
    settings = task.settings.get(engine, {})
    if engine == "ubersim":
        from benchmarks.scenes.ours import UberSim

        return lambda scene: UberSim(scene, **settings)
    if engine == "mujoco":
        from benchmarks.scenes.in_mujoco import MuJoCo

        return lambda scene: MuJoCo(scene, **settings)
    from benchmarks.scenes.in_bullet import Bullet

    return lambda scene: Bullet(scene, **settings)


def figures(name: str, engine: str) -> Sequence[float | None]:
    """What is measured, in the order of the task's quantities."""
    (task,) = (task for task in TASKS if task.name == name)
    if engine == "ubersim" and task.own is not None:
        return task.own()
    return task.measure(builder(engine, task))


def main() -> None:
    """As the first lines say."""
    name, engine = sys.argv[1:]
    print(json.dumps(list(figures(name, engine))))


if __name__ == "__main__":
    main()
