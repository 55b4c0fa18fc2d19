"""The figures of all tasks, kept in a file, so that one task can be measured anew."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from benchmarks.fidelity.tasks import TASKS

FILE = Path(__file__).with_name("results.json")

Figures = list[float | None] | str
"""Of a task in one engine, or why there are none."""


@dataclass
class Results:
    """What is known."""

    figures: dict[str, dict[str, Figures]] = field(default_factory=dict)
    """By task, then by engine."""
    versions: dict[str, str] = field(default_factory=dict)
    """Of the other engines."""

    @classmethod
    def load(cls) -> Results:
        """Those of the last time, as far as there are such tasks still, and with as many quantities."""
        if not FILE.exists():
            return cls()
        plain = json.loads(FILE.read_text(encoding="utf-8"))
        counts = {task.name: len(task.quantities) for task in TASKS}
        known = {
            name: {
                engine: found
                for engine, found in engines.items()
                if isinstance(found, str) or len(found) == counts[name]
            }
            for name, engines in plain["figures"].items()
            if name in counts
        }
        return cls(known, plain["versions"])

    def save(self) -> None:
        """In the order of the page."""
        self.versions = {"MuJoCo": version("mujoco"), "PyBullet": version("pybullet")}
        ordered = {task.name: self.figures[task.name] for task in TASKS if task.name in self.figures}
        plain = {"versions": self.versions, "figures": ordered}
        FILE.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")

    def of(self, task: str, engine: str, quantity: int) -> float | str | None:
        """A figure; a text if the engine failed; None if it cannot be told of the task."""
        figures = self.figures.get(task, {}).get(engine)
        return figures if figures is None or isinstance(figures, str) else figures[quantity]
