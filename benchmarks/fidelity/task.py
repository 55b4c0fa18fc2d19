"""What a task is: something to measure in every engine, and what the answer has to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.scenes import Engine, Scene

ENGINES = ("ubersim", "mujoco", "bullet")
"""Who is measured."""

Build = Callable[[Scene], Engine]
"""Makes a scene run in the engine that is being measured."""


@dataclass(frozen=True)
class Quantity:
    """One line of the page."""

    what: str
    """Is measured."""
    unit: str = ""
    """Of the figures."""
    truth: float = 0.0
    """What physics says."""
    relative: bool = False
    """Whether the error counts as a share of the truth."""
    sense: Literal["near", "at most", "at least"] = "near"
    """Whether less than the truth, or more, is as good as the truth."""
    bar: float | None = None
    """The largest error that the project allows itself, as a share where `relative`."""
    published: float | None = None
    """ODE's figure in SimBenchmark."""

    def error(self, figure: float) -> float:
        """How wrong a figure is."""
        match self.sense:
            case "near":
                error = abs(figure - self.truth)
            case "at most":
                error = max(0.0, figure - self.truth)
            case "at least":
                error = max(0.0, self.truth - figure)
        return error / abs(self.truth) if self.relative else error


@dataclass(frozen=True)
class Task:
    """A task with its quantities."""

    name: str
    """What `--only` is told."""
    family: str
    """The section of the page."""
    about: str
    """What happens, and which formula knows the answer."""
    quantities: Sequence[Quantity]
    """In the order in which `measure` returns them."""
    measure: Callable[[Build], Sequence[float | None]]
    """The figures in one engine; None for what it cannot be told."""
    own: Callable[[], Sequence[float | None]] | None = None
    """How ÜberSim is measured where it is not by such a scene."""
    engines: Sequence[str] = ENGINES
    """Those in which it makes sense."""
    step: str = "1 ms"
    """Length of a step."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By engine, where they differ from those of all tasks."""

    @property
    def title(self) -> str:
        """What the page calls it."""
        return self.name.removeprefix("simbenchmark_").replace("_", " ").capitalize()
